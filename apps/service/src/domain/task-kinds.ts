import { type AudioFormat, ENCODING_COST, SPEECH_COST } from '@svc-audio/engine-ports'

/**
 * The kinds of tasks: `object` of a task on the wire, and the name of its kind in usage. The database stores both, so
 * neither ever changes.
 */
export const USAGE_OF_TASKS = {
  'audio.speech': 'speech',
  'audio.voice_generation': 'voice_generation',
  'audio.transcription': 'transcription',
} as const

/** The kind of a task. */
export type TaskKind = keyof typeof USAGE_OF_TASKS

/** The name of a kind of task in usage. */
export type TaskUsage = (typeof USAGE_OF_TASKS)[TaskKind]

/** Every kind of task. */
export const TASK_KINDS: readonly TaskKind[] = Object.keys(USAGE_OF_TASKS).filter(
  (kind): kind is TaskKind => kind in USAGE_OF_TASKS,
)

/** A kind of task that makes an audio file. */
export type AudioKind = Exclude<TaskKind, 'audio.transcription'>

/** Every kind of task that makes an audio file. */
export const AUDIO_KINDS: readonly AudioKind[] = TASK_KINDS.filter((kind) => kind !== 'audio.transcription')

/** The kinds of tasks that show their model as `model_id` (interface: Asynchronous creation result). */
export const KINDS_WITH_MODEL: ReadonlySet<TaskKind> = new Set<TaskKind>(['audio.voice_generation'])

/**
 * A work class has its own workers and its own shares of the tenants: long transcriptions do not delay speech, and a
 * tenant's use of one work class does not count in the other.
 */
export type WorkClass = 'speech' | 'recognition'

/** Every work class. */
export const WORK_CLASSES: readonly WorkClass[] = ['speech', 'recognition']

/** The kind of task that has a work class of its own. All others make speech. */
export const RECOGNITION_KIND = 'audio.transcription'

/** Returns the work class of a kind of task. All kinds of a work class need the same engine. */
export function workClassOf(kind: string): WorkClass {
  return kind === RECOGNITION_KIND ? 'recognition' : 'speech'
}

/** Estimated processor time of a task without an estimate, in milliseconds: that of a short text, or of 5 s of sound. */
export const UNKNOWN_COST = 1000

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
