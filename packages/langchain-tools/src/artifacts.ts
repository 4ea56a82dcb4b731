import type { TranscriptionSegment } from '@svc-audio/core'
import type { SpeechToolErrorCode } from './errors/speech-tool-error.ts'

/**
 * What `speak` leaves for the application beside the line for the model. It is plain JSON of a few hundred bytes: audio
 * is named, never carried, since a checkpointer copies every artifact with every step.
 */
export interface SpeakArtifact {
  readonly type: 'audio'
  /** The reference that the model was given: `store.open(id)` opens the audio. */
  readonly id: string
  /** Where the file lies, if the store keeps files. */
  readonly path?: string
  /** Where the audio can be fetched, if the store serves it. */
  readonly url?: string
  /** MIME type, e.g. `audio/wav`. */
  readonly contentType: string
  /** Measured from the audio; absent if the service answered with something else than WAV. */
  readonly durationSeconds?: number
  readonly bytes: number
}

/** What `transcribe` leaves for the application. Plain JSON. */
export interface TranscribeArtifact {
  readonly type: 'transcript'
  /** The whole transcript, also where the model was given only the beginning. */
  readonly text: string
  /** Whether the model was given only the beginning. */
  readonly truncated: boolean
  /** What was transcribed. */
  readonly source: TranscriptSource
  /** Length of the audio, if the service reported it. */
  readonly durationSeconds?: number
  /** Who said what and when, if the service separated speakers. */
  readonly segments?: readonly TranscriptionSegment[]
}

/** Where transcribed audio came from. */
export type TranscriptSource =
  | { readonly type: 'reference'; readonly id: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'path'; readonly path: string }

/** Artifact of a tool message with `status: 'error'`. */
export interface SpeechToolFailure {
  readonly code: SpeechToolErrorCode
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
}
