export { AudioGatewayError, toGatewayError } from './audio-gateway-error.ts'
export { checkOptions, type OptionRule, type OptionRules } from './check-options.ts'
export { ClientDisconnectedError } from './client-disconnected-error.ts'
export { detectType, type DetectedType } from './content-type.ts'
export { disconnectSignal } from './disconnect-signal.ts'
export { discardUpload } from './drain.ts'
export { FAILURE_CODES, failureAnswer } from './failure-answer.ts'
export { describeFailure, type FailureLogger, logFailure, type LogFailureOptions } from './failure-log.ts'
export type { DescribedFields, FieldsCheck, UploadValues } from './field-values.ts'
export type { UploadFields, WithFields } from './form-fields.ts'
export type { IncomingUpload } from './incoming-upload.ts'
export * as optionRules from './option-rules.ts'
export {
  assertUploadOptions,
  DEFAULT_ACCEPT,
  type DrainOptions,
  UPLOAD_RULES,
  type UploadLimits,
  type UploadOptions,
} from './options.ts'
export { definedFields, type PerRequest, resultCheck, valueFor } from './per-request.ts'
export { receiveUpload } from './receive-upload.ts'
export { describeUpload, type ReceivedUpload } from './received-upload.ts'
export type { Remedies, Uncalled } from './remedies.ts'
export { audioHeaders, eventHeaders, pcmHeaders, type RelayedAudioHead, type RelayHeaders } from './relay-headers.ts'
export { sendAudio, sendPcm } from './send-audio.ts'
export { sendEvents, type SendEventsOptions, type SentEvent } from './send-events.ts'
export { CALL_RULES, type CallHandlerOptions } from './speech/call-options.ts'
export { speakCall, type SpeakOutcome, type SpeakRequest } from './speech/speak-call.ts'
export {
  type CheckedSpeakOptions,
  checkSpeakOptions,
  type CommonSpeechOptions,
  type SpeakBody,
  type SpeakFields,
  type SpeakHandlerOptions,
  type SpeechTaskOptions,
  type StreamedSpeechOptions,
  type VoiceByBody,
  type VoiceByOption,
  type WholeSpeechOptions,
} from './speech/speak-options.ts'
export { requestText, type TextSources } from './speech/speech-text.ts'
export {
  openTaskAudio,
  PLAY_RESULT_RULES,
  type PlayResultHandlerOptions,
  type TaskAudio,
  type TaskAudioRequest,
} from './speech/task-audio.ts'
export {
  assertStreamUploadOptions,
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  streamUpload,
  type StreamUploadContext,
  type StreamUploadOptions,
  type StreamUploadOutcome,
} from './stream-upload.ts'
export { assertTaskOptions, TASK_RULES } from './task-options.ts'
export type { TeeOptions, TeeUpload } from './tee.ts'
export {
  assertTranscribeOptions,
  TRANSCRIBE_RULES,
  type TranscribeContext,
  type TranscribeOptions,
  type TranscribeOutcome,
  type TranscriptionFields,
  type UncheckedTranscribeOptions,
} from './transcribe-options.ts'
export type { CheckedRespond, RespondJson, RespondSse, RespondTask, StandardModel } from './transcribe-respond.ts'
export {
  type TranscribedUpload,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  type TranscriptionTaskUpload,
} from './transcribe-request.ts'
export { type FieldIssue, UploadError } from './upload-error.ts'
export type { UploadErrorCode } from './upload-error-codes.ts'
export type { UploadRequest } from './upload-request.ts'
export { audioResponse, type AudioResponseInit, pcmResponse } from './web/audio-response.ts'
export { failureResponse } from './web/failure-response.ts'
export {
  audioHandler,
  playResultHandler,
  speakHandler,
  transcribeHandler,
  uploadHandler,
  WEBHOOK_RULES,
  type WebhookHandlerOptions,
  webhookHandler,
  type WebHandler,
} from './web/handlers.ts'
export { openCall, type ServerCall, type ServerPort } from './web/server-port.ts'
export {
  type AudioHandlerOptions,
  audioResponder,
  playResultResponder,
  speakResponder,
} from './web/speech-responders.ts'
export {
  type AnswerJson,
  type HandlerLogOptions,
  type NoResponse,
  type Responder,
  type TranscribeHandlerCommon,
  type TranscribeHandlerOptions,
  transcribeResponder,
  type UploadHandlerOptions,
  uploadResponder,
} from './web/transcribe-responder.ts'
export { type WebContext, webText } from './web/web-port.ts'
export { fromWebRequest, webDisconnectSignal } from './web/web-request.ts'
