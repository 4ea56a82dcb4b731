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
