export { AudioGatewayError, toGatewayError } from './audio-gateway-error.ts'
export { checkOptions, type OptionRule, type OptionRules } from './check-options.ts'
export { ClientDisconnectedError } from './client-disconnected-error.ts'
export { detectType, type DetectedType } from './content-type.ts'
export { disconnectSignal } from './disconnect-signal.ts'
export { FAILURE_CODES, failureAnswer } from './failure-answer.ts'
export { describeFailure, type FailureLogger, logFailure, type LogFailureOptions } from './failure-log.ts'
export type { UploadFields } from './form-fields.ts'
export type { IncomingUpload } from './incoming-upload.ts'
export * as optionRules from './option-rules.ts'
export { assertUploadOptions, DEFAULT_ACCEPT, type DrainOptions, UPLOAD_RULES, type UploadOptions } from './options.ts'
export { definedFields, type PerRequest, resultCheck, valueFor } from './per-request.ts'
export { receiveUpload } from './receive-upload.ts'
export { describeUpload, type ReceivedUpload } from './received-upload.ts'
export { audioHeaders, eventHeaders, pcmHeaders, type RelayedAudioHead, type RelayHeaders } from './relay-headers.ts'
export { sendAudio, sendPcm } from './send-audio.ts'
export { sendEvents, type SendEventsOptions, type SentEvent } from './send-events.ts'
export {
  assertStreamUploadOptions,
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  streamUpload,
  type StreamUploadContext,
  type StreamUploadOptions,
  type StreamUploadOutcome,
} from './stream-upload.ts'
export type { TeeOptions, TeeUpload } from './tee.ts'
export {
  assertTranscribeOptions,
  TRANSCRIBE_RULES,
  type TranscribeContext,
  type TranscribeOptions,
  type TranscribeOutcome,
  type TranscriptionFields,
} from './transcribe-options.ts'
export {
  type TranscribedUpload,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  type TranscriptionTaskUpload,
} from './transcribe-request.ts'
export { UploadError, type UploadErrorCode } from './upload-error.ts'
export type { UploadRequest } from './upload-request.ts'
