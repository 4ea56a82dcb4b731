export {
  type DialogueCreateBody,
  DialogueResource,
  type DialogueTaskBody,
  type VoiceGenerationBody,
  VoiceGenerationsResource,
  type VoiceGenerationTaskBody,
} from './audio-resource.ts'
export { download, type Downloadable } from './download.ts'
export { type FileCreateBody, FilesResource } from './files.ts'
export type { ListCall } from './lists.ts'
export { ModelsResource } from './models.ts'
export { type ClientContext, Resource } from './resource.ts'
export { type SpeechCreateBody, SpeechResource, type SpeechStreamBody, type SpeechTaskBody } from './speech.ts'
export type { CreateAndWaitOptions, FinishedTask, TaskHandle } from './task-handle.ts'
export { TasksResource } from './tasks.ts'
export {
  type TranscriptionCreateBody,
  type TranscriptionSource,
  TranscriptionsResource,
  type TranscriptionStreamBody,
  type TranscriptionTaskBody,
} from './transcriptions.ts'
export { type VoiceCreateBody, VoicesResource } from './voices.ts'
