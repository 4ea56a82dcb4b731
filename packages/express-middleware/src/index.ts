export type { TranscribedRequest } from './request-types.ts'
export { audioErrors, type AudioErrorContext, type AudioErrorsOptions } from './audio-errors.ts'
export { speak, type SpeakOptions } from './speak.ts'
export { transcribeUpload, type TranscribeUploadOptions } from './transcribe-upload.ts'
export {
  ClientDisconnectedError,
  type ReceivedUpload,
  type TranscriptionFields,
  UploadError,
  type UploadErrorCode,
  type UploadFields,
} from '@svc-audio/upload'
