export {
  describeFailure,
  SpeechToolError,
  type SpeechToolErrorCode,
  type SpeechToolErrorOptions,
  type SpeechToolFailure,
  type Spent,
  storeFailed,
} from './errors/speech-tool-error.ts'
export { toSpeechToolError } from './errors/to-speech-tool-error.ts'
export type {
  SpeakArtifact,
  TranscribeArtifact,
  TranscriptionTaskArtifact,
  TranscriptPartArtifact,
  VoicesArtifact,
} from './operations/artifacts.ts'
export {
  type CreatedOperations,
  createSpeechOperations,
  type SpeechOperations,
} from './operations/create-operations.ts'
export type { CloneVoiceSchema, ListVoicesSchema } from './operations/voices.ts'
export type { DesignVoiceSchema, SpeakDialogueSchema, SpeakSchema } from './operations/speak.ts'
export type { GetTranscriptionSchema, AudioSchema, TranscribeSchema } from './operations/transcribe.ts'
export { invalidArguments, type OperationResult, type SpeechOperation } from './operations/operation.ts'
export type { ReadTranscriptSchema } from './operations/transcripts.ts'
export { checkOption, checkOptions, toolClient, type AdapterOptions } from './options/resolve-options.ts'
export {
  type DailyBudget,
  type OptionalSpeechToolsOption,
  type ResolvedOptions,
  type RunOverrides,
  SPEECH_TOOLS,
  type SpeechToolName,
  type SpeechToolsOptions,
  type UrlCall,
  type UrlPolicy,
  type VoiceChoice,
} from './options/speech-tools-options.ts'
export { type BudgetAddition, type BudgetStore, memoryBudgetStore } from './run/budget-store.ts'
export type { RunKey, SpeechToolProgress, ToolCallContext } from './run/run-context.ts'
export { openAllowedFile, type AudioSource } from './sources/allowed-file.ts'
export {
  type AudioDetails,
  type AudioInput,
  type AudioListQuery,
  type AudioStore,
  isAudioId,
  type ListedAudio,
  type OpenedAudio,
  type PendingTranscript,
  readAudio,
  type ReadableAudio,
  type StoreAccess,
  type StoredAudio,
  type StoredTranscript,
  type TranscriptSource,
  type TranscriptStore,
  type TranscriptView,
} from './store/audio-store.ts'
export { type FolderAudioStore, folderAudioStore } from './store/folder-audio-store.ts'
export { memoryAudioStore, type MemoryAudioStoreOptions, memoryTranscripts } from './store/memory-audio-store.ts'
export { serviceAudioStore } from './store/service-audio-store.ts'
export {
  readableTranscript,
  readSegments,
  type SpeakerTurn,
  speakerTurns,
  toTranscript,
} from './transcripts/transcript.ts'
