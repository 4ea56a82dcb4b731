export { respondAudio, type RespondAudioOptions } from './respond-audio.ts'
export type { HandlerOptions } from './async-handler.ts'
export {
  audioErrors,
  type AudioErrorResponse,
  type AudioErrorContext,
  type AudioErrorsOptions,
} from './audio-errors.ts'
export { audioWebhooks, type AudioWebhooksOptions } from './audio-webhooks.ts'
export { playResult, type PlayResultOptions } from './play-result.ts'
export type { TranscribedRequest } from './request-types.ts'
export { speak, type SpeakOptions } from './speak.ts'
export { type CommonTranscribeOptions, transcribeUpload, type TranscribeUploadOptions } from './transcribe-upload.ts'
export { uploadTo, type UploadToOptions } from './upload-to.ts'
export {
  AudioGatewayError,
  type CallHandlerOptions,
  ClientDisconnectedError,
  discardUpload,
  disconnectSignal,
  failureAnswer,
  type FailureLogger,
  type IncomingUpload,
  logFailure,
  type PerRequest,
  type ReceivedUpload,
  receiveUpload,
  sendAudio,
  sendEvents,
  sendPcm,
  type SpeakFields,
  type StreamedUpload,
  streamUpload,
  type TeeOptions,
  toGatewayError,
  type TranscriptionFields,
  UploadError,
  type UploadErrorCode,
  type UploadFields,
  type UploadOptions,
} from '@svc-audio/upload'
