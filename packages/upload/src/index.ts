export {
  AudioGatewayError,
  ClientDisconnectedError,
  toGatewayError,
  UploadError,
  type UploadErrorCode,
} from './errors.ts'
export type { DrainOptions, PerRequest, UploadLimits, UploadOptions } from './options.ts'
export { disconnectSignal, discardUnread, discardUpload, type UploadRequest } from './connection.ts'
export { failureAnswer, type FailureLogger, logFailure, type LogFailureOptions } from './failure.ts'
export type { FieldsCheck, UploadFields, UploadValues } from './fields.ts'
export {
  type IncomingUpload,
  type ReceivedUpload,
  receiveUpload,
  type StreamedUpload,
  type TeeOptions,
  type TeeUpload,
  type UploadCallOptions,
} from './upload.ts'
export { sendAudio, sendEvents, type SendEventsOptions, sendPcm } from './server/node.ts'
export type { SpeakFields } from './speech/speak-options.ts'
export {
  streamUpload,
  type StreamUploadContext,
  type StreamUploadOptions,
  type StreamUploadOutcome,
} from './stream-upload.ts'
export {
  type TranscribeContext,
  type TranscribedUpload,
  type TranscribeOptions,
  type TranscribeOutcome,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  type TranscriptionFields,
  type TranscriptionTaskUpload,
} from './transcribe.ts'
export {
  audioWebhooks,
  type AudioWebhooksOptions,
  forwardAudio,
  type ForwardAudioOptions,
  forwardUpload,
  type ForwardUploadOptions,
  playResult,
  type PlayResultOptions,
  speak,
  type SpeakOptions,
  transcribeUpload,
  type TranscribeUploadOptions,
  type WebContext,
  type WebHandler,
} from './web/handlers.ts'
export type { NodeContext } from './web/node-context.ts'
export { fromWebRequest } from './web/request.ts'
