import type { TranscriptionSegment } from '@svc-audio/core'
import type { TranscriptSource } from '../operations/artifacts.ts'
import type { StoreAccess } from '../store/store-access.ts'

/** A transcript that tools can read on in. Plain JSON. */
export interface StoredTranscript {
  /** The transcript is complete. */
  readonly status: 'ready'
  /** Source of the audio. */
  readonly source: TranscriptSource
  /** The text as the service sent it. */
  readonly text: string
  /** Speaker turns with times, if the service separated speakers. */
  readonly segments?: readonly TranscriptionSegment[]
  /** Length of the audio, if the service reported it. */
  readonly durationSeconds?: number
}

/** A transcription that the service still works on. Plain JSON. */
export interface PendingTranscript {
  /** The transcript is not ready, or its task has failed. */
  readonly status: 'pending'
  /** Source of the audio. */
  readonly source: TranscriptSource
  /** The task that makes it. Absent after the task has failed. */
  readonly taskId?: string
  /** Id under which the transcript is stored too: that of its audio. */
  readonly transcriptId?: string
  /** Seconds of audio that a budget has counted. */
  readonly countedSeconds?: number
}

/** Stores transcripts by ids that have the shape of an audio id. Each user has transcripts of their own. */
export interface TranscriptStore {
  /**
   * The transcript of this user under an id; `undefined` without one. The id comes from a model: treat it as hostile.
   */
  get(id: string, access?: StoreAccess): Promise<StoredTranscript | PendingTranscript | undefined>
  /** Replaces what is stored under this id. */
  set(id: string, transcript: StoredTranscript | PendingTranscript, access?: StoreAccess): Promise<void>
}
