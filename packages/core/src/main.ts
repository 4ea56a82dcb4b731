// What every build of the main entry exports beside its own `AudioClient` and `nodeTransport`.
export type { AudioClientOptions } from './client/index.ts'
export * from './errors.ts'
export type * from './exports.ts'
export type { LogFields, Logger, Span, SpanStart, Tracer } from './telemetry.ts'
export { createSemaphore, mayRepeat } from './transport/index.ts'
export type {
  DialogueSegment,
  DialogueSpeaker,
  DiarizedTranscription,
  FileDeletion,
  FileList,
  FileListQuery,
  Model,
  ModelList,
  SpeechResult,
  SpeechTask,
  StoredFile,
  Task,
  TaskCreation,
  TaskOf,
  TaskStatus,
  Transcription,
  TranscriptionSegment,
  TranscriptionStreamEvent,
  TranscriptionTask,
  Voice,
  VoiceList,
  VoiceListQuery,
} from './wire/index.ts'
