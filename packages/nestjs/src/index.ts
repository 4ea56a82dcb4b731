export { AudioExceptionFilter } from './audio-exception-filter.ts'
export {
  type AudioErrorBody,
  AUDIO_ERROR_SCHEMA,
  type AudioErrorFieldSchema,
  type AudioErrorSchema,
} from './audio-exception.ts'
export {
  AudioModule,
  type AudioModuleAsyncOptions,
  type AudioModuleExtras,
  type AudioModuleOptions,
  type AudioModuleOptionsFactory,
} from './audio-module.ts'
export {
  AudioWebhooksModule,
  type AudioWebhooksAsyncOptions,
  type AudioWebhooksExtras,
  type AudioWebhooksOptions,
  AudioWebhooks,
  OnAudioTask,
} from './audio-webhooks.ts'
export { getAudioClientToken, InjectAudioClient } from './audio-client.ts'
export {
  DisconnectSignal,
  Transcription,
  TranscriptionStream,
  TranscriptionTask,
  Upload,
  UploadResult,
} from './parameters.ts'
export {
  playResult,
  type PlayResultOptions,
  speechEvents,
  type SpeechEventsSource,
  speechFile,
  type SpeechFileOptions,
  type SpeechSource,
} from './speech-file.ts'
export {
  type AudioUploadDefaults,
  type FieldsOption,
  TranscribeUploadInterceptor,
  type TranscribeUploadOptions,
  type UploadCallContext,
  ForwardUploadInterceptor,
  type ForwardUploadOptions,
} from './upload-interceptors.ts'
export type { ClientChoice } from './upload-mixin.ts'
export {
  AudioGatewayError,
  ClientDisconnectedError,
  discardUpload,
  type DrainOptions,
  type FailureLogger,
  type PerRequest,
  type ReceivedUpload,
  type StreamedUpload,
  type TeeOptions,
  type TeeUpload,
  type TranscribeOutcome,
  type TranscriptionFields,
  UploadError,
  type UploadErrorCode,
  type UploadFields,
} from '@svc-audio/upload'
