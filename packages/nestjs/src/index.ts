export { AudioExceptionFilter } from './audio-exception-filter.ts'
export { AudioModule } from './audio-module.ts'
export type {
  AudioModuleAsyncOptions,
  AudioModuleExtras,
  AudioModuleOptions,
  AudioModuleOptionsFactory,
} from './audio-module-options.ts'
export { getAudioClientToken, InjectAudioClient } from './client-token.ts'
export { DisconnectSignal } from './disconnect-signal.ts'
export { speechFile, type SpeechFileOptions } from './speech-file.ts'
export { TranscribeInterceptor, type TranscribeInterceptorOptions } from './transcribe-interceptor.ts'
export { Transcription, Upload } from './transcribed-request.ts'
export {
  ClientDisconnectedError,
  type ReceivedUpload,
  type TranscriptionFields,
  UploadError,
  type UploadErrorCode,
  type UploadFields,
} from '@svc-audio/upload'
