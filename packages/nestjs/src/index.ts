export { AudioExceptionFilter } from './audio-exception-filter.ts'
export type { AudioErrorBody } from './audio-exception.ts'
export { AUDIO_ERROR_SCHEMA, type AudioErrorFieldSchema, type AudioErrorSchema } from './audio-error-schema.ts'
export { AudioModule } from './audio-module.ts'
export type {
  AudioModuleAsyncOptions,
  AudioModuleExtras,
  AudioModuleOptions,
  AudioModuleOptionsFactory,
} from './audio-module-options.ts'
export { AudioWebhookModule } from './audio-webhook-module.ts'
export type { AudioWebhookAsyncOptions, AudioWebhookExtras, AudioWebhookOptions } from './audio-webhook-options.ts'
export { AudioWebhooks } from './audio-webhooks.ts'
export { getAudioClientToken, InjectAudioClient } from './client-token.ts'
export { DisconnectSignal } from './disconnect-signal.ts'
export { OnAudioTask } from './on-audio-task.ts'
export type { FieldsOption } from './form-values.ts'
export { speechFile, type SpeechFileOptions, type SpeechSource } from './speech-file.ts'
export { TranscribeInterceptor, type TranscribeInterceptorOptions } from './transcribe-interceptor.ts'
export { Transcription, TranscriptionStream, TranscriptionTask, Upload, UploadResult } from './request-outcome.ts'
export type { AudioUploadDefaults } from './upload-defaults.ts'
export { type UploadCallContext, UploadInterceptor, type UploadInterceptorOptions } from './upload-interceptor.ts'
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
