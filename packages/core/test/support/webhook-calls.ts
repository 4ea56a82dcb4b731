import type { Task } from '../../src/index.ts'
import { createWebhookReceiver, type WebhookReceiver, type WebhookReceiverOptions } from '../../src/webhooks/index.ts'
import { task } from './scripted-tasks.ts'

/** The receiver's own secret in tests. */
export const RECEIVER_SECRET = 'secret-of-the-receiver-5d41402abc4b2a76'

/** A receiver whose client is memory and whose time stands still until it is set. */
export interface TestReceiver {
  readonly receiver: WebhookReceiver
  /** Tasks that were read. */
  readonly retrieved: string[]
  /** Tasks whose waits were woken. */
  readonly notified: string[]
  /** What the handler `*` was called with. */
  readonly handled: { task: Task; state: string | undefined }[]
  readonly errors: unknown[]
  /** Unix seconds. */
  readonly time: { now: number }
}

/** @param retrieve How the service answers; by default every task has succeeded. */
export function testReceiver(
  options: Partial<WebhookReceiverOptions> = {},
  retrieve: (id: string) => Promise<Task> = async (id) => task(id, 'SUCCESS'),
): TestReceiver {
  const [retrieved, notified, errors]: [string[], string[], unknown[]] = [[], [], []]
  const handled: TestReceiver['handled'] = []
  const time = { now: 1_700_000_000 }
  const tasks = {
    retrieve: async (id: string) => {
      retrieved.push(id)
      return retrieve(id)
    },
    notify: (id: string) => void notified.push(id),
  }
  const receiver = createWebhookReceiver({
    client: { tasks },
    secret: RECEIVER_SECRET,
    url: 'https://my.app/hooks/audio',
    handlers: { '*': (one, { state }) => void handled.push({ task: one, state }) },
    onError: (error) => void errors.push(error),
    now: () => time.now * 1000,
    ...options,
  })
  return { receiver, retrieved, notified, handled, errors, time }
}

/** A callback as a service sends it. */
export function post(url: string, body: unknown = { id: 't' }, headers: Record<string, string> = {}): Request {
  return new Request(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers })
}
