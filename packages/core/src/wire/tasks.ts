import type { Open } from './models.ts'
import type { SpeechResult } from './speech.ts'
import type { DiarizedTranscription } from './transcription.ts'

/** States of a task; `SUCCESS` and `FAILED` are terminal (interface: Task states). */
export type TaskStatus = 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED'

/** What a task makes. */
export type TaskObject = 'audio.speech' | 'audio.voice_generation' | 'audio.transcription'

/** Answer to a request with `async: true` (interface: Asynchronous creation result). */
export interface TaskCreation {
  /** Id of the result. */
  readonly id: string
  /** The id to query, usually equal to `id`. */
  readonly task_id: string
  /** What the task makes. */
  readonly object: Open<TaskObject>
  /** State of the task, e.g. `PENDING`. */
  readonly status: Open<TaskStatus>
  /** Voice generation only. */
  readonly model_id?: string
  /** Suggested polling interval, in seconds. */
  readonly retry_after?: number
  /** Unix seconds. */
  readonly created_at: number
  /** Unix seconds. */
  readonly updated_at?: number
}

/** Result fields of a task that makes audio. They are not documented: these are the fields of a synchronous response. */
interface SpeechFields extends Partial<Pick<SpeechResult, 'url' | 'response_format' | 'content_type'>> {
  /** Voice generation only. */
  readonly model_id?: string
}

/** Result fields of a task that transcribes. They are not documented: these are the fields of a synchronous response. */
type TranscriptionFields = Partial<Pick<DiarizedTranscription, 'text' | 'duration' | 'segments'>>

/**
 * Answer of `GET /v1/audio/tasks/{task_id}`. On success, the fields of the result are at the top level, never in a
 * `result` field. A task whose kind is not known has the fields of every kind. {@link TaskOf} names the type of a kind.
 */
export interface Task extends SpeechFields, TranscriptionFields {
  /** Id of the task. */
  readonly id: string
  /** What the task makes. */
  readonly object: Open<TaskObject>
  /** State of the task. */
  readonly status: Open<TaskStatus>
  /** Unix seconds. */
  readonly created_at: number
  /** Unix seconds. */
  readonly updated_at: number
  /** Polling interval in seconds, until the state is terminal. */
  readonly retry_after?: number
  /** On failure. Its structure is the service's own. */
  readonly error?: unknown
}

/** A task that makes audio. */
export interface SpeechTask extends Omit<Task, keyof TranscriptionFields> {}

/** A task that transcribes. */
export interface TranscriptionTask extends Omit<Task, keyof SpeechFields> {}

/** The type of a task by its `object`; `*` is any kind. */
export type TaskOf<Kind extends TaskObject | '*'> = Kind extends 'audio.transcription'
  ? TranscriptionTask
  : Kind extends '*'
    ? Task
    : SpeechTask
