// What every build of the main entry exports beside its own `AudioClient` and `nodeTransport`: the errors, and the types
// of the client's options, bodies and results.
export * from './errors/index.ts'
export { mayRepeat } from './transport/retry.ts'
export { createSemaphore, type Semaphore } from './transport/semaphore.ts'
export type { AudioClientOptions } from './audio-client-options.ts'
export type { PureAudioClient } from './client.ts'
export type { ClientOptions, DerivedClientOptions } from './client-options.ts'
export type { CreateAndWaitOptions, FinishedTask } from './resources/create-and-wait.ts'
export type { DialogueCreateBody, DialogueResource, DialogueTaskBody } from './resources/dialogue.ts'
export type { Downloadable } from './resources/download.ts'
export type { FileCreateBody, FilesResource } from './resources/files.ts'
export type { ModelsResource } from './resources/models.ts'
export type { SpeechCreateBody, SpeechResource, SpeechStreamBody, SpeechTaskBody } from './resources/speech.ts'
export type { TaskHandle } from './resources/task-handle.ts'
export type { TasksResource } from './resources/tasks.ts'
export type {
  TranscriptionCreateBody,
  TranscriptionsResource,
  TranscriptionSource,
  TranscriptionStreamBody,
  TranscriptionTaskBody,
} from './resources/transcriptions.ts'
export type {
  VoiceGenerationBody,
  VoiceGenerationsResource,
  VoiceGenerationTaskBody,
} from './resources/voice-generations.ts'
export type { VoiceCreateBody, VoicesResource } from './resources/voices.ts'
export type { AudioBody } from './streaming/audio-body.ts'
export type { StreamEvent } from './streaming/sse-decoder.ts'
export type { PcmFormat } from './audio/pcm-format.ts'
export type { SavedSpeech, SpeechStream } from './streaming/speech-stream.ts'
export type { TranscriptionStream, TranscriptionUsage } from './streaming/transcription-stream.ts'
export type { TaskOutcome, WaitOptions } from './tasks/index.ts'
export type { LogFields, Logger } from './telemetry/logger.ts'
export type { Span, SpanStart, Tracer } from './telemetry/tracer.ts'
export type { Call, ResponseInfo, WithResponse, CallOptions } from './transport/call.ts'
export type { ApiKey } from './transport/key-source.ts'
export type { ListCall } from './transport/list-call.ts'
export type { Clock, Transport, TransportRequest, TransportResponse } from './transport/transport.ts'
export type { UploadData, UploadFile, UploadProgress, UploadSource, UploadStream } from './transport/upload-source.ts'
export type { DialogueSegment, DialogueSpeaker } from './wire/dialogue.ts'
export type { FileDeletion, FileList, FileListQuery, StoredFile } from './wire/files.ts'
export type { Model, ModelList } from './wire/models.ts'
export type { SpeechResult } from './wire/speech.ts'
export type { SpeechTask, Task, TaskCreation, TaskStatus, TranscriptionTask } from './wire/tasks.ts'
export type { DiarizedTranscription, Transcription, TranscriptionSegment } from './wire/transcription.ts'
export type { TranscriptionStreamEvent } from './wire/events.ts'
export type { Voice, VoiceList, VoiceListQuery } from './wire/voices.ts'
