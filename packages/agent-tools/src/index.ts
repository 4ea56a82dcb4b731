export { describeFailure } from './errors/describe-failure.ts'
export { storeFailed } from './errors/store-failed.ts'
export { SpeechToolError, type SpeechToolErrorCode, type SpeechToolErrorOptions } from './errors/speech-tool-error.ts'
export { toSpeechToolError } from './errors/to-speech-tool-error.ts'
export type {
  SpeakArtifact,
  SpeechToolFailure,
  TranscribeArtifact,
  TranscriptionTaskArtifact,
  TranscriptPartArtifact,
  TranscriptSource,
  VoicesArtifact,
} from './operations/artifacts.ts'
export {
  type CreatedOperations,
  createSpeechOperations,
  type SpeechOperations,
} from './operations/create-operations.ts'
export type { CloneVoiceSchema } from './operations/clone-voice.ts'
export type { DesignVoiceSchema } from './operations/design-voice.ts'
export type { GetTranscriptionSchema } from './operations/get-transcription.ts'
export { invalidArguments, type OperationResult, type SpeechOperation } from './operations/operation.ts'
export type { ReadTranscriptSchema } from './operations/read-transcript.ts'
export type { SpeakDialogueSchema } from './operations/speak-dialogue.ts'
export type { SpeakSchema } from './operations/speak.ts'
export type { ListVoicesSchema } from './operations/list-voices.ts'
export type { AudioSchema, TranscribeSchema } from './operations/transcribe.ts'
export { checkOption, checkOptions, toolClient } from './options/checks.ts'
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
export type { SpeechToolProgress, ToolCallContext } from './run/run-context.ts'
export type { RunKey } from './run/run-uses.ts'
export type { Spent } from './run/spent.ts'
export type { AdapterOptions } from './options/resolve-options.ts'
export { openAllowedFile } from './sources/allowed-file.ts'
export type { AudioSource } from './sources/audio-source.ts'
export { type AudioInput, readAudio } from './store/audio-input.ts'
export type {
  AudioDetails,
  AudioListQuery,
  AudioStore,
  ListedAudio,
  OpenedAudio,
  ReadableAudio,
  StoredAudio,
} from './store/audio-store.ts'
export type { StoreAccess } from './store/store-access.ts'
export { isAudioId } from './store/audio-store.ts'
export { type FolderAudioStore, folderAudioStore } from './store/folder-audio-store.ts'
export { memoryAudioStore, type MemoryAudioStoreOptions } from './store/memory-audio-store.ts'
export { serviceAudioStore } from './store/service-audio-store.ts'
export type { PendingTranscript, StoredTranscript, TranscriptStore } from './transcripts/transcript-store.ts'
export { memoryTranscripts } from './transcripts/memory-transcripts.ts'
export {
  readableTranscript,
  readSegments,
  type SpeakerTurn,
  speakerTurns,
  toTranscript,
} from './transcripts/transcript.ts'
