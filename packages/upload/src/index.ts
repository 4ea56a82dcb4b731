export { ClientGoneError } from './client-gone-error.ts'
export { disconnectSignal } from './disconnect-signal.ts'
export { failureAnswer } from './failure-answer.ts'
export type { UploadFields } from './form-fields.ts'
export type { IncomingUpload } from './incoming-upload.ts'
export { assertUploadOptions, DEFAULT_ACCEPT, type DrainOptions, type UploadOptions } from './options.ts'
export { receiveUpload } from './receive-upload.ts'
export { describeUpload, type ReceivedUpload } from './received-upload.ts'
export {
  assertTranscribeOptions,
  type TranscribeContext,
  type TranscribedUpload,
  type TranscribeOptions,
  transcribeRequest,
  type TranscriptionFields,
} from './transcribe-request.ts'
export { UploadError, type UploadErrorCode } from './upload-error.ts'
export type { UploadRequest } from './upload-request.ts'
