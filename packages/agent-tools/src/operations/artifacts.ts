import type { TranscriptionSegment } from '@svc-audio/core'
import type { Spent } from '../errors/speech-tool-error.ts'
import type { TranscriptSource } from '../store/audio-store.ts'

/**
 * Artifact of the tools that speak, for the application. Plain JSON of a few hundred bytes:
 * audio is named, never carried, since a checkpointer copies every artifact with every step. No path of this machine.
 */
export interface SpeakArtifact {
  /** Tells this artifact from those of other tools. */
  readonly type: 'audio'
  /** The reference that the model was given: `store.open(id)` opens the audio. */
  readonly id: string
  /** Address of the audio, if the store has one. */
  readonly url?: string
  /** MIME type, e.g. `audio/wav`. */
  readonly contentType: string
  /** Measured from the audio; absent if the service answered with another format than WAV. */
  readonly durationSeconds?: number
  /** Size of the audio. */
  readonly bytes: number
  /** What the call may be billed for, and what its run has used. */
  readonly spent: Spent
  /** The answer's `x-request-id`. */
  readonly requestId?: string
}

/** Artifact of `transcribe` and `get_transcription`, for the application. Plain JSON. */
export interface TranscribeArtifact {
  /** Tells this artifact from those of other tools. */
  readonly type: 'transcript'
  /** Names the stored transcript to `read_transcript`. */
  readonly id: string
  /** The whole text up to 20,000 characters, else the part for the model. The transcript store has the whole. */
  readonly text: string
  /** Whether the model was given only the beginning. */
  readonly truncated: boolean
  /** Source of the audio. */
  readonly source: TranscriptSource
  /** What the call may be billed for, and what its run has used. */
  readonly spent: Spent
  /** Length of the audio, if the service reported it. */
  readonly durationSeconds?: number
  /** Speaker turns with times, if the service separated speakers and `text` is whole. */
  readonly segments?: readonly TranscriptionSegment[]
  /** The answer's `x-request-id`; absent for a stored transcript. */
  readonly requestId?: string
}

/** Artifact of `read_transcript`, for the application. Plain JSON. */
export interface TranscriptPartArtifact {
  /** Tells this artifact from those of other tools. */
  readonly type: 'transcript_part'
  /** Names the stored transcript. */
  readonly id: string
  /** First character of the part, counted from 0 in UTF-16 units. */
  readonly from: number
  /** Character after the part. */
  readonly to: number
  /** Characters of the whole transcript. */
  readonly totalCharacters: number
}

/**
 * Artifact of `start_transcription`, of an unfinished `get_transcription`, and of a `transcribe` that became a task, for
 * the application. Plain JSON.
 */
export interface TranscriptionTaskArtifact {
  /** Tells this artifact from those of other tools. */
  readonly type: 'transcription_task'
  /** Names the task to `get_transcription`: its id at the service, or where its transcript will be stored. */
  readonly taskId: string
  /** The task's status, e.g. `PENDING`; `SENDING` while the audio is on its way to the service. */
  readonly status: string
  /** Source of the audio. */
  readonly source: TranscriptSource
  /** What the call may be billed for, and what its run has used. */
  readonly spent: Spent
  /** The `x-request-id` of the response that started the task. */
  readonly requestId?: string
}

/** Artifact of `list_voices`, for the application. Plain JSON. */
export interface VoicesArtifact {
  /** Tells this artifact from those of other tools. */
  readonly type: 'voices'
  /** The voices that the model may choose, in the order of the option `voices`. */
  readonly voices: readonly {
    /** Name of the voice for the model. */
    readonly name: string
    /** Id of the voice at the service. */
    readonly voice_id: string
    /** Use of the voice. */
    readonly description?: string
  }[]
}
