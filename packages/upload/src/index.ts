export {
  AudioGatewayError,
  toGatewayError,
  ClientDisconnectedError,
  type FieldIssue,
  UploadError,
  type UploadErrorCode,
} from './errors.ts'
export {
  checkOptions,
  type OptionRule,
  type OptionRules,
  definedFields,
  type PerRequest,
  resultCheck,
  valueFor,
  type Remedies,
  type Uncalled,
  assertUploadOptions,
  DEFAULT_ACCEPT,
  type DrainOptions,
  UPLOAD_RULES,
  type UploadLimits,
  type UploadOptions,
  assertTaskOptions,
  TASK_RULES,
} from './options.ts'
export { detectType, type DetectedType } from './content-type.ts'
export { disconnectSignal, discardUpload, type UploadRequest } from './connection.ts'
export {
  FAILURE_CODES,
  failureAnswer,
  describeFailure,
  type FailureLogger,
  logFailure,
  type LogFailureOptions,
} from './failure.ts'
export type { DescribedFields, FieldsCheck, UploadValues, UploadFields, WithFields } from './fields.ts'
export {
  describeUpload,
  type IncomingUpload,
  type ReceivedUpload,
  receiveUpload,
  type StreamedUpload,
  type TeeOptions,
  type TeeUpload,
  type UploadCallOptions,
} from './upload.ts'
export * as optionRules from './option-rules.ts'
export {
  audioHeaders,
  eventHeaders,
  pcmHeaders,
  type RelayedAudioHead,
  type RelayHeaders,
  audioResponse,
  type AudioResponseInit,
  type EventsResponseOptions,
  pcmResponse,
  failureResponse,
  type SentEvent,
} from './server/response.ts'
export { sendAudio, sendEvents, type SendEventsOptions, sendPcm, sendResponse } from './server/node.ts'
export {
  CALL_RULES,
  type CallHandlerOptions,
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
export { speakCall, type SpeakOutcome, type SpeakRequest, requestText, type TextSources } from './speech/speak-call.ts'
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
  streamUpload,
  type StreamUploadContext,
  type StreamUploadOptions,
  type StreamUploadOutcome,
} from './stream-upload.ts'
export {
  assertTranscribeOptions,
  TRANSCRIBE_RULES,
  type TranscribeContext,
  type TranscribeOptions,
  type TranscribeOutcome,
  type TranscriptionFields,
  type UncheckedTranscribeOptions,
  type CheckedRespond,
  type RespondJson,
  type RespondSse,
  type RespondTask,
  type StandardModel,
  type TranscribedUpload,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  type TranscriptionTaskUpload,
} from './transcribe.ts'
export {
  audioHandler,
  playResultHandler,
  speakHandler,
  transcribeHandler,
  uploadHandler,
  webhookHandler,
  type WebHandler,
  type WebContext,
  webText,
} from './web/handlers.ts'
export {
  type FailureLog,
  type HandlerLogOptions,
  openCall,
  type Responder,
  type ServerCall,
  type ServerPort,
} from './server/port.ts'
export {
  type NodeHead,
  WEBHOOK_RULES,
  type WebhookHandlerOptions,
  webhookRequest,
  webhookResponder,
} from './server/webhooks.ts'
export {
  type AudioHandlerOptions,
  audioResponder,
  playResultResponder,
  speakResponder,
} from './server/speech-responders.ts'
export {
  type AnswerJson,
  type NoResponse,
  type TranscribeHandlerCommon,
  type TranscribeHandlerOptions,
  transcribeResponder,
  type TranscriptionDelivery,
  type UploadHandlerOptions,
  uploadResponder,
} from './server/upload-responders.ts'
export { fromWebRequest, webDisconnectSignal } from './web/request.ts'
