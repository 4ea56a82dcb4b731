import type { Claim, TaskKind } from '../../ports/task-store.ts'
import { DIALOGUE } from './dialogue.ts'
import type { AudioKind } from '../speech/audio-result.ts'
import type { AudioOperation, TaskOperation } from './operation.ts'
import { SPEECH } from './speech.ts'
import { TRANSCRIPTION } from './transcription.ts'
import { VOICE_GENERATION } from './voice-generation.ts'

/** The operations that make audio: each gets its route, its OpenAPI description and its tasks from its definition. */
export const AUDIO_OPERATIONS: readonly AudioOperation[] = [SPEECH, DIALOGUE, VOICE_GENERATION]

/** Every operation that can be a task. */
export const TASK_OPERATIONS: readonly TaskOperation[] = [...AUDIO_OPERATIONS, TRANSCRIPTION]

/** The kinds of tasks, each once. */
export const TASK_KINDS: readonly TaskKind[] = [...new Set(TASK_OPERATIONS.map(({ object }) => object))]

/** The kinds of audio tasks, each once. */
export const AUDIO_KINDS: readonly AudioKind[] = [...new Set(AUDIO_OPERATIONS.map(({ object }) => object))]

/** The kinds of tasks that show their model. */
export const KINDS_WITH_MODEL: ReadonlySet<TaskKind> = new Set(
  TASK_OPERATIONS.filter(({ showsModel }) => showsModel === true).map(({ object }) => object),
)

/**
 * Returns the operation of a task: it has the same kind and can read the stored request.
 * @throws TypeError for a task of an operation that this version does not know
 */
export function operationOf({ task, request }: Claim): TaskOperation {
  const operation = TASK_OPERATIONS.find(
    (candidate) => candidate.object === task.kind && candidate.request.safeParse(request).success,
  )
  if (operation === undefined) throw new TypeError(`No operation performs this ${task.kind} task`)
  return operation
}

/** Returns the engine that all tasks of a kind need. */
export function engineOf(kind: TaskKind): TaskOperation['engine'] {
  const operation = TASK_OPERATIONS.find(({ object }) => object === kind)
  if (operation === undefined) throw new TypeError(`No operation makes ${kind}`)
  return operation.engine
}
