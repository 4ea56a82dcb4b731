import type { TranscriptionSegment } from '@svc-audio/core'
import type { SpeechToolErrorCode } from '../errors/speech-tool-error.ts'
import type { Spent } from '../run/spent.ts'

/**
 * Artifact of the tools that speak, for the application. Plain JSON of a few hundred bytes:
 * audio is named, never carried, since a checkpointer copies every artifact with every step. No path of this machine.
 */
export interface SpeakArtifact {
  readonly type: 'audio'
  /** The reference that the model was given: `store.open(id)` opens the audio. */
  readonly id: string
  /** Address of the audio, if the store has one. */
  readonly url?: string
  /** MIME type, e.g. `audio/wav`. */
  readonly contentType: string
  /** Measured from the audio; absent if the service answered with another format than WAV. */
  readonly durationSeconds?: number
  readonly bytes: number
  readonly spent: Spent
  /** The answer's `x-request-id`. */
  readonly requestId?: string
}

/** Artifact of `transcribe` and `get_transcription`, for the application. Plain JSON. */
export interface TranscribeArtifact {
  readonly type: 'transcript'
  /** Names the stored transcript to `read_transcript`. */
  readonly id: string
  /** The whole text up to 20,000 characters, else the part for the model. The transcript store has the whole. */
  readonly text: string
  /** Whether the model was given only the beginning. */
  readonly truncated: boolean
  /** Source of the audio. */
  readonly source: TranscriptSource
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

/** Where transcribed audio came from. */
export type TranscriptSource =
  | { readonly type: 'reference'; readonly id: string }
  | { readonly type: 'url'; readonly url: string }
  /** Relative to `allowedRoot`, with `/` between folders. */
  | { readonly type: 'path'; readonly path: string }

/** Artifact of `start_transcription` and of an unfinished `get_transcription`, for the application. Plain JSON. */
export interface TranscriptionTaskArtifact {
  readonly type: 'transcription_task'
  readonly taskId: string
  /** The task's status, e.g. `PENDING`. */
  readonly status: string
  readonly source: TranscriptSource
  readonly spent: Spent
  readonly requestId?: string
}

/** Artifact of `list_voices`, for the application. Plain JSON. */
export interface VoicesArtifact {
  readonly type: 'voices'
  readonly voices: readonly { readonly name: string; readonly voice_id: string; readonly description?: string }[]
}

/** Artifact of a failed call. */
export interface SpeechToolFailure {
  readonly code: SpeechToolErrorCode
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Seconds to wait before a retry, if the service said so. */
  readonly retryAfterSeconds?: number
  /** The answer's `x-request-id`, if an answer came. */
  readonly requestId?: string
  /** Present if the call may be billed in spite of its failure. */
  readonly spent?: Spent
}
