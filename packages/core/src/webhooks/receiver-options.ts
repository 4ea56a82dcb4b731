import { isPrivateHost } from '../checks/private-host.ts'
import { ConfigurationError } from '../errors/request-errors.ts'
import type { Task } from '../wire/tasks.ts'
import type { SeenStore } from './seen-store.ts'

/** What the receiver needs of a client; an `AudioClient` is one. */
export interface WebhookClient {
  readonly tasks: {
    retrieve(id: string): Promise<Task>
    notify(id: string): void
  }
}

/** What comes with a task. */
export interface WebhookContext {
  /** What `createCallback` was given. */
  readonly state: string | undefined
}

/** Handles a task that is over, in `SUCCESS` or `FAILED`. When it throws, the service is asked to call again. */
export type WebhookHandler = (task: Task, context: WebhookContext) => void | Promise<void>

/** Options of `createWebhookReceiver`. */
export interface WebhookReceiverOptions {
  /** Reads the task, whatever the callback says of it, and lets its waits know. */
  readonly client: WebhookClient
  /**
   * Signs the tokens of the callback addresses: at least 32 characters, best made at random. Of several the first signs
   * and all are accepted, so that a secret can be replaced while tasks are in flight.
   */
  readonly secret: string | readonly string[]
  /**
   * Where the service reaches `handle`, e.g. `https://my.app/hooks/audio`. It must be https (interface: `webhook_url`),
   * except for a private host.
   */
  readonly url: string
  /**
   * Handlers by the task's `object`, e.g. `audio.speech`; `*` stands for those that have none. Each task is handled once,
   * however often the service calls. @default none: the callback only wakes the waits
   */
  readonly handlers?: Readonly<Record<string, WebhookHandler>>
  /**
   * The secrets of the service itself, `whsec_` and Base64. With one given, a callback must carry Standard Webhooks
   * headers that one of them signed, not older or newer than 5 minutes. @default none: the headers are not looked at
   */
  readonly signingSecret?: string | readonly string[]
  /** Which tasks have been handled. @default the last 10,000, in this process */
  readonly seen?: SeenStore
  /** Hears of what a handler, the store or the reading of a task threw. It must not throw itself. @default nobody does */
  readonly onError?: (error: unknown) => void
  /** The time, in Unix milliseconds. @default Date.now */
  readonly now?: () => number
}

/** What one callback address is for. */
export interface CallbackOptions {
  /** How long the address is accepted, in seconds. Ten years at most. @default 604800, which is 7 days */
  readonly expiresInSeconds?: number
  /** Comes back to the handler; at most 256 characters. It is signed but not secret: the service sees it. */
  readonly state?: string
}

/** An address to give to the service. */
export interface Callback {
  /** For `webhook_url`. It holds the token: keep it out of logs. */
  readonly url: string
  /**
   * Ties the address to its task, once that is created: a callback that names another one is refused, and one that names
   * none is understood. It holds in this process, for the last 10,000 addresses.
   */
  readonly bind: (taskId: string) => void
}

/** @throws ConfigurationError when callbacks cannot come to this address */
export function checkCallbackUrl(url: string): URL {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isPrivateHost(parsed.hostname))
  if (parsed === undefined || !isSafe || parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') {
    throw new ConfigurationError('url must be an https address without credentials and fragment')
  }
  return parsed
}
