// For adapters of frameworks. Applications need none of these.
export {
  assertUploadOptions,
  checkOptions,
  DEFAULT_ACCEPT,
  definedFields,
  type OptionRule,
  type OptionRules,
  type Remedies,
  resultCheck,
  type Uncalled,
  UPLOAD_RULES,
  valueFor,
} from './options.ts'
export { cutResponse, handlerSignal, onResponseEnd } from './connection.ts'
export { assertTaskOptions, TASK_RULES, type TaskOptions } from './task.ts'
export * as optionRules from './option-rules.ts'
export { type DetectedType, detectType } from './content-type.ts'
export { describeFailure, FAILURE_CODES } from './failure.ts'
export type { FieldIssue } from './errors.ts'
export type { DescribedFields, WithFields } from './fields.ts'
export { describeUpload } from './upload.ts'
export {
  audioHeaders,
  audioResponse,
  type AudioResponseInit,
  eventHeaders,
  eventsResponse,
  type EventsResponse,
  type EventsResponseOptions,
  failureResponse,
  pcmHeaders,
  pcmResponse,
  type RelayedAudioHead,
  type RelayHeaders,
  type SentEvent,
} from './server/response.ts'
export { sendResponse } from './server/node.ts'
export {
  CALL_RULES,
  type CallHandlerOptions,
  type CheckedSpeakOptions,
  checkSpeakOptions,
  type CommonSpeechOptions,
  type SpeakBody,
  type SpeakHandlerOptions,
  type SpeechTaskOptions,
  type StreamedSpeechOptions,
  type VoiceByBody,
  type VoiceByOption,
  type WholeSpeechOptions,
} from './speech/speak-options.ts'
export { requestText, speakCall, type SpeakOutcome, type SpeakRequest, type TextSources } from './speech/speak-call.ts'
export {
  openTaskAudio,
  PLAY_RESULT_RULES,
  type PlayResultHandlerOptions,
  type TaskAudio,
  type TaskAudioRequest,
} from './speech/task-audio.ts'
export { assertStreamUploadOptions, STREAM_UPLOAD_RULES } from './stream-upload.ts'
export {
  assertTranscribeOptions,
  type CheckedRespond,
  type RespondJson,
  type RespondSse,
  type RespondTask,
  type StandardModel,
  TRANSCRIBE_RULES,
  type UncheckedTranscribeOptions,
} from './transcribe.ts'
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
export { webText } from './web/handlers.ts'
export { webDisconnectSignal } from './web/request.ts'
