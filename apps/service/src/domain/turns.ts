import type { AudioFormat } from './formats.ts'

/** How a piece of work runs in its turn. */
export interface Turn {
  /**
   * Whether the work's tenant has more work than slots. Such work runs at a lower priority: the processor serves the
   * other tenants first.
   */
  readonly background: boolean
}

/**
 * Runs a piece of work when its caller's turn comes, and resolves with its result.
 * @param cost Estimated processor time of the work, in milliseconds. A caller with expensive work gets fewer turns.
 * @param signal Aborts the wait. The work has its own signal.
 * @throws The signal's reason when it aborts before the work starts; what `work` throws
 */
export type Turns = <T>(cost: number, signal: AbortSignal, work: (turn: Turn) => Promise<T>) => Promise<T>

/** Runs each piece of work at once. */
export const atOnce: Turns = (_cost, _signal, work) => work({ background: false })

/** Length of the speech of one character, in seconds, about. */
const CHARACTER_SECONDS = 0.06

/** Estimated processor time of one character of speech, in milliseconds. */
export const SPEECH_COST = 0.5

/** Estimated processor time of one second of audio to encode, in milliseconds. */
export const ENCODING_COST = 20

/** Estimated processor time of one second of audio to recognize, in milliseconds. */
export const RECOGNITION_COST = 200

/** Estimated processor time of one second of audio to diarize, in milliseconds. */
export const DIARIZATION_COST = 50

/** Bytes of a second of sound in a file of unknown format, about: MP3 of 128 kbit/s. */
const FILE_BYTES_PER_SECOND = 16_000

/** Length of a recording of unknown size, in seconds, for estimates. */
const UNKNOWN_SECONDS = 60

/** Estimates the processor time of a task that speaks a text, in whole milliseconds. */
export function estimateSpeech(characters: number, format: AudioFormat): number {
  const encoding = format === 'wav' || format === 'pcm' ? 0 : CHARACTER_SECONDS * ENCODING_COST
  return Math.max(1, Math.round(characters * (SPEECH_COST + encoding)))
}

/**
 * Estimates the processor time of a task that transcribes a recording, in whole milliseconds.
 * @param bytes Size of its file. `undefined` for a file that the task fetches.
 */
export function estimateTranscription(bytes: number | undefined, diarize: boolean): number {
  const seconds = bytes === undefined ? UNKNOWN_SECONDS : bytes / FILE_BYTES_PER_SECOND
  return Math.max(1, Math.round(seconds * (RECOGNITION_COST + (diarize ? DIARIZATION_COST : 0))))
}
