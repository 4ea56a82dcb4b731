import { SetMetadata } from '@nestjs/common'

/** Metadata key for the kind of a handler. Nest's reflector requires a string. */
export const TASK_METADATA = 'svc-audio.on-audio-task'

/**
 * Makes a method of a provider a handler of finished tasks, for the callbacks that `AudioWebhookModule` receives. It gets
 * the task, in `SUCCESS` or `FAILED`, and `{ state }` as given to `createCallback()`. If it throws, the service calls
 * again. A handled task is not handled again.
 *
 * @param object The task's `object`, such as `audio.transcription`. @default '*', every task that has no handler of its own
 *
 * @example
 * @OnAudioTask('audio.transcription')
 * async transcribed(task: Task, { state }: WebhookContext) {}
 */
export function OnAudioTask(object = '*'): MethodDecorator {
  return SetMetadata(TASK_METADATA, object)
}
