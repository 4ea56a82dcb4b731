import { SetMetadata } from '@nestjs/common'

/** Metadata key of the kind of a handler. Nest's reflector needs a string. */
export const TASK_METADATA = 'svc-audio.on-audio-task'

/**
 * Makes a provider's method a handler of finished tasks, for the callbacks of `AudioWebhookModule`. The handler gets the
 * task, in `SUCCESS` or `FAILED`, and `{ state }` as given to `createCallback()`. If it throws, the service calls again.
 * Each task is handled once.
 *
 * @param object The task's `object`, such as `audio.transcription`. @default '*', every task without a specific handler
 *
 * @example
 * @OnAudioTask('audio.transcription')
 * async transcribed(task: Task, { state }: WebhookContext) {}
 */
export function OnAudioTask(object = '*'): MethodDecorator {
  return SetMetadata(TASK_METADATA, object)
}
