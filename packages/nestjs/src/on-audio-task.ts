import { SetMetadata } from '@nestjs/common'

/** Where the decorator leaves the kind of a handler. A string, as Nest's reflector wants it. */
export const TASK_METADATA = 'svc-audio.on-audio-task'

/**
 * Makes a method of a provider a handler of finished tasks, for the callbacks that `AudioWebhookModule` receives. It gets
 * the task, in `SUCCESS` or `FAILED`, and `{ state }` as given to `createCallback()`. If it throws, the service calls
 * again. Each task is handled once.
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
