// The client, its options and its results: types of the main entry, values too of `./pure`.
export type { PcmFormat } from './audio/index.ts'
export { type ClientOptions, type DerivedClientOptions, PureAudioClient } from './client/index.ts'
export {
  type CreateAndWaitOptions,
  type DialogueCreateBody,
  DialogueResource,
  type DialogueTaskBody,
  type Downloadable,
  type FileCreateBody,
  FilesResource,
  type FinishedTask,
  type ListCall,
  ModelsResource,
  type SpeechCreateBody,
  SpeechResource,
  type SpeechStreamBody,
  type SpeechTaskBody,
  type TaskHandle,
  TasksResource,
  type TranscriptionCreateBody,
  type TranscriptionSource,
  TranscriptionsResource,
  type TranscriptionStreamBody,
  type TranscriptionTaskBody,
  type VoiceCreateBody,
  type VoiceGenerationBody,
  VoiceGenerationsResource,
  type VoiceGenerationTaskBody,
  VoicesResource,
} from './resources/index.ts'
export type {
  AudioBody,
  SavedSpeech,
  SpeechStream,
  StreamEvent,
  TranscriptionStream,
  TranscriptionUsage,
} from './streaming/index.ts'
export type { TaskOutcome, WaitOptions } from './tasks/index.ts'
export type {
  ApiKey,
  Call,
  CallOptions,
  Clock,
  ResponseInfo,
  Semaphore,
  Transport,
  TransportRequest,
  TransportResponse,
  UploadProgress,
  WithResponse,
} from './transport/index.ts'
export type { UploadData, UploadFile, UploadSource, UploadStream } from './uploads/index.ts'
