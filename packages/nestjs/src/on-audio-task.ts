import { SetMetadata } from '@nestjs/common'
import type { TaskObject } from '@svc-audio/core/interface'

/** Metadata key for the kind of a handler. Nest's reflector requires a string. */
export const TASK_METADATA = 'svc-audio.on-audio-task'

/** Kinds of tasks. A newer service may have more. */
const KNOWN = { 'audio.speech': true, 'audio.transcription': true, 'audio.voice_generation': true } satisfies Record<
  TaskObject,
  true
>

/** The kinds that a handler may name, for a message, if it names another one. */
export function kindsInsteadOf(object: string): string | undefined {
  return object === '*' || Object.hasOwn(KNOWN, object) ? undefined : Object.keys(KNOWN).join(', ')
}

/**
 * Makes a method of a provider or controller a handler of finished tasks, for the callbacks that `AudioWebhookModule` receives. It gets
 * the task, in `SUCCESS` or `FAILED`, and `{ state }` as given to `createCallback()`. If it throws, the service calls
 * again. A handled task is not handled again.
 *
 * @param object The task's `object`, such as `audio.transcription`. A warning names one that this version does not know.
 *   @default '*', every task that has no handler of its own
 *
 * @example
 * @OnAudioTask('audio.transcription')
 * async transcribed(task: Task, { state }: WebhookContext) {}
 */
export function OnAudioTask(object: TaskObject | '*' | (string & {}) = '*'): MethodDecorator {
  return SetMetadata(TASK_METADATA, object)
}
