export {
  audio,
  respondAudio,
  type RespondAudioOptions,
  audioWebhooks,
  type AudioWebhooksOptions,
  type FastifyHandler,
  playResult,
  type PlayResultOptions,
  speak,
  type SpeakOptions,
  transcribeUpload,
  type TranscribeUploadOptions,
  uploadTo,
  type UploadToOptions,
} from './handlers.ts'
export {
  AudioGatewayError,
  ClientDisconnectedError,
  discardUpload,
  failureAnswer,
  UploadError,
} from '@svc-audio/upload'
