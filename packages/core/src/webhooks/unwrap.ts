import { WebhookVerificationError } from '../errors/webhook-errors.ts'
import { isTerminal, checkTask } from '../tasks/task-state.ts'
import type { SpeechTask, Task, TranscriptionTask } from '../wire/tasks.ts'
import { verifyWebhook, type VerifyWebhookOptions } from './standard-webhooks.ts'

/** A finished task, as a signed call tells it. `object` says what it made. */
export type WebhookEvent =
  | (SpeechTask & {
      /** What the task made. */
      readonly object: 'audio.speech' | 'audio.voice_generation'
      /** The terminal state. */
      readonly status: 'SUCCESS' | 'FAILED'
    })
  | (TranscriptionTask & {
      /** What the task made. */
      readonly object: 'audio.transcription'
      /** The terminal state. */
      readonly status: 'SUCCESS' | 'FAILED'
    })

/**
 * Verifies a signed call of the service and returns the finished task. The interface does not document the payload of a
 * call: the self-hosted service sends the task. For a service that does not sign, use `createWebhookReceiver()`.
 *
 * @example
 * const task = await unwrapWebhook({ body: await request.text(), headers: request.headers, secret })
 * if (task.object === 'audio.transcription') console.log(task.text)
 *
 * @throws WebhookVerificationError if the signature does not match, or the body is not a finished task
 * @throws ConfigurationError for an invalid secret
 */
export async function unwrapWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  if (!(await verifyWebhook(options))) {
    throw new WebhookVerificationError(
      'The signature does not match: pass the exact body and the secret of the service',
    )
  }
  const { body } = options
  try {
    const task: Task = checkTask(JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)))
    if (isTerminal(task)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- signed by the service, whose objects these are
      return task as WebhookEvent
    }
  } catch (cause) {
    throw new WebhookVerificationError('The signed body is not a task', { cause })
  }
  throw new WebhookVerificationError('The signed body is a task that has not ended')
}
