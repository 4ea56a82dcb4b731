import { type AudioFormat, ENCODING_COST, SPEECH_COST } from '@svc-audio/engine-ports'

/** Length of the speech of one character, in seconds, about. */
const CHARACTER_SECONDS = 0.06

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
