export {
  audio,
  forwardAudio,
  type ForwardAudioOptions,
  audioWebhooks,
  type AudioWebhooksOptions,
  type FastifyHandler,
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
