export * from './errors/index.ts'
export { BaseClient } from './base-client.ts'
export { PureAudioClient } from './client.ts'
export type { ClientOptions, DerivedClientOptions, PureAudioClientOptions } from './client-options.ts'
export { type DialogueCreateBody, DialogueResource, type DialogueTaskBody } from './resources/dialogue.ts'
export type { CreateAndWaitOptions, FinishedTask } from './resources/create-and-wait.ts'
export type { Downloadable } from './resources/download.ts'
export { type FileCreateBody, FilesResource } from './resources/files.ts'
export { ModelsResource } from './resources/models.ts'
export { Resource } from './resources/resource.ts'
export {
  type SpeechCreateBody,
  SpeechResource,
  type SpeechStreamBody,
  type SpeechTaskBody,
} from './resources/speech.ts'
export type { TaskHandle } from './resources/task-handle.ts'
export { TasksResource } from './resources/tasks.ts'
export {
  type TranscriptionCreateBody,
  TranscriptionsResource,
  type TranscriptionSource,
  type TranscriptionStreamBody,
  type TranscriptionTaskBody,
} from './resources/transcriptions.ts'
export {
  type VoiceGenerationBody,
  VoiceGenerationsResource,
  type VoiceGenerationTaskBody,
} from './resources/voice-generations.ts'
export { type VoiceCreateBody, VoicesResource } from './resources/voices.ts'
export type { AudioBody } from './streaming/audio-body.ts'
export type { StreamEvent } from './streaming/sse-decoder.ts'
export type { PcmFormat } from './audio/pcm-format.ts'
export type { SavedSpeech, SpeechStream } from './streaming/speech-stream.ts'
export type { TranscriptionStream, TranscriptionUsage } from './streaming/transcription-stream.ts'
export type { TaskOutcome, WaitOptions } from './tasks/index.ts'
export { mayRepeat } from './transport/retry.ts'
export type { Call, ResponseInfo, WithResponse, CallOptions } from './transport/call.ts'
export type { Semaphore } from './transport/semaphore.ts'
export type { WatchUnread } from './transport/watch-unread.ts'
export type { CheckOptions } from './checks/option-check.ts'
export type { CheckRequest } from './checks/check-request.ts'
export type { ApiKey } from './transport/key-source.ts'
export type { ListCall } from './transport/list-call.ts'
export type {
  CallObserver,
  Observe,
  ObservedCall,
  Clock,
  RequestBody,
  ResponseBody,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/transport.ts'
export type {
  FileAccess,
  NameUpload,
  OpenedUpload,
  UploadData,
  UploadFile,
  UploadProgress,
  UploadSource,
  UploadStream,
} from './transport/upload-source.ts'
export type * from './wire/index.ts'
