export {
  discardUnread,
  forwardAudio,
  type ForwardAudioOptions,
  audioWebhooks,
  type AudioWebhooksOptions,
  type HonoHandler,
  playResult,
  type PlayResultOptions,
  speak,
  type SpeakOptions,
  transcribeUpload,
  type TranscribeUploadOptions,
  forwardUpload,
  type ForwardUploadOptions,
} from './handlers.ts'
export {
  AudioGatewayError,
  ClientDisconnectedError,
  discardUpload,
  failureAnswer,
  UploadError,
} from '@svc-audio/upload'
