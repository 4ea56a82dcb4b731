export { isPrivateHost } from './checks/private-host.ts'
export { checkPublicUrl } from './checks/public-url.ts'
export { PureAudioClient, type PureAudioClientOptions } from './client.ts'
export * from './errors/index.ts'
export type { SpeechCreateBody, SpeechResource, SpeechStreamBody } from './resources/speech.ts'
export type { ModelsResource } from './resources/models.ts'
export type { TranscriptionCreateBody, TranscriptionsResource } from './resources/transcriptions.ts'
export type { VoicesResource } from './resources/voices.ts'
export * from './streaming/index.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type TextPart,
} from './text/pauses.ts'
export type { CallOptions } from './transport/call-options.ts'
export type {
  Clock,
  RequestBody,
  ResponseBody,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/transport.ts'
export type {
  FileAccess,
  FileSink,
  OpenedUpload,
  UploadData,
  UploadFile,
  UploadSource,
  UploadStream,
} from './transport/uploads.ts'
export * from './wire/index.ts'
