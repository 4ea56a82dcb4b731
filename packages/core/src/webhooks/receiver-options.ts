import { callback, fields, methods, optional, type OptionRule } from '#options'
import { anything, checkRules, isPrivateHost, type RulesOf } from '../checks/index.ts'
import { ConfigurationError } from '../errors.ts'
import type { Task, TaskObject, TaskOf } from '../wire/index.ts'

/** The part of a client that the receiver uses, e.g. an `AudioClient`. */
export interface WebhookClient {
  /** The part of `AudioClient` that the receiver uses. */
  readonly tasks: {
    /** Reads a task once. */
    retrieve(id: string): Promise<Task>
    /** Ends waits for a finished task. */
    notify(id: string): void
  }
}

/** Context of a handled task. */
export interface WebhookContext {
  /** The state passed to `createCallback`. */
  readonly state: string | undefined
}

/**
 * What a handler answers: `retry` for a task that it does not know yet, e.g. because its row is not written. The receiver
 * then answers 503, and the service calls again. Anything else means that the task is handled.
 */
export type HandlerResult = 'retry' | undefined

/**
 * Handles an ended task, in `SUCCESS` or `FAILED`. `retry` makes the service call again. If the handler throws, the receiver
 * answers 500, and the service calls again too.
 */
export type WebhookHandler<Handled extends Task = Task> = (
  task: Handled,
  context: WebhookContext,
) => HandlerResult | void | Promise<HandlerResult | void>

/** Handlers by the task's `object`. Each gets a task of its kind. */
export type WebhookHandlers = { readonly [Kind in TaskObject | '*']?: WebhookHandler<TaskOf<Kind>> }

/** Options of `createWebhookReceiver`. */
export interface WebhookReceiverOptions {
  /** Reads the task, regardless of the callback's payload, and notifies its waits. */
  readonly client: WebhookClient
  /**
   * Signs the tokens of the callback addresses. Use at least 32 random characters. Of several secrets, the first signs
   * and all are accepted. A secret can therefore be replaced while tasks are in flight.
   */
  readonly secret: string | readonly string[]
  /**
   * Public address of `handle`, e.g. `https://my.app/hooks/audio`. It must be https (interface: `webhook_url`), except
   * for a private host.
   */
  readonly url: string
  /**
   * Handlers by the task's `object`, e.g. `audio.speech`. `*` handles all other tasks, also kinds that this version does
   * not know. Each task is handled once, even if the service calls several times.
   * @default none: the callback only wakes the waits
   */
  readonly handlers?: WebhookHandlers
  /**
   * Signing secrets of the service, `whsec_` and Base64. If set, a callback must have Standard Webhooks headers signed
   * with one of them, at most 5 minutes old or ahead.
   * @default none: the headers are ignored
   */
  readonly signingSecret?: string | readonly string[]
  /** Remembers handled tasks. @default the last 10,000, in this process */
  readonly seen?: SeenStore
  /** Receives errors of handlers, of the store and of reading tasks. It must not throw. @default none */
  readonly onError?: (error: unknown) => void
  /** Returns the time, in Unix milliseconds. @default Date.now */
  readonly now?: () => number
}

/** Options of one callback address. */
export interface CallbackOptions {
  /** Validity of the address, in seconds. At most ten years. @default 604800, which is 7 days */
  readonly expiresInSeconds?: number
  /** Passed to the handler. At most 256 characters. It is signed but not secret: the service sees it. */
  readonly state?: string
}

/** An address to send to the service. */
export interface Callback {
  /** For `webhook_url`. It contains the token: do not log it. */
  readonly url: string
  /**
   * Binds the address to its task. Call it after the task is created. A callback that names another task is refused. A
   * callback without a task id then works. The binding holds in this process, for the last 10,000 addresses.
   */
  readonly bind: (taskId: string) => void
  /**
   * Answers 503 to callbacks of this address until the returned function is called, so that the service calls again: a
   * short task may end before its id is stored. It holds in this process, for the last 10,000 addresses. The handlers of
   * `@svc-audio/upload` and its adapters call it for a `webhook_url` that is a callback.
   */
  readonly hold: () => () => void
}

const HANDLERS: RulesOf<Record<TaskObject | '*', unknown>> = {
  'audio.speech': optional(callback),
  'audio.transcription': optional(callback),
  'audio.voice_generation': optional(callback),
  '*': optional(callback),
}

/** A client as the receiver needs it. */
const client: OptionRule = (value) =>
  methods('retrieve', 'notify')(Reflect.get(new Object(value), 'tasks')) === undefined
    ? undefined
    : 'must be an AudioClient, or have tasks.retrieve() and tasks.notify()'

const OPTIONS: RulesOf<WebhookReceiverOptions> = {
  client,
  secret: anything,
  url: anything,
  handlers: optional(fields(HANDLERS)),
  signingSecret: anything,
  seen: optional(methods('claim', 'forget')),
  onError: optional(callback),
  now: optional(callback),
}

/**
 * Checks the options of a receiver, except its address and its secrets.
 * @throws ConfigurationError naming the option
 */
export function checkReceiverOptions(options: WebhookReceiverOptions): void {
  checkRules(options, OPTIONS, 'createWebhookReceiver()')
}

/** @throws ConfigurationError if callbacks cannot reach this address */
export function checkCallbackUrl(url: string): URL {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isPrivateHost(parsed.hostname))
  if (parsed === undefined || !isSafe || parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') {
    throw new ConfigurationError('url must be an https address without credentials and fragment')
  }
  return parsed
}

/**
 * Remembers handled tasks. To share it between processes, implement it, e.g. over a table with a unique key: `claim`
 * inserts, `forget` deletes.
 */
export interface SeenStore {
  /** Claims a task for the caller. @returns `false` if the task was claimed before */
  claim(id: string): Promise<boolean>
  /** Releases a task that could not be handled. */
  forget(id: string): Promise<void>
}

/** Maximum tasks to remember. */
const MAX_SEEN = 10_000

/**
 * Creates a store for one process. It remembers the last 10,000 tasks. A duplicate of an older task is handled again.
 */
export function memorySeenStore(): SeenStore {
  const seen = new BoundedMap<true>(MAX_SEEN)
  return {
    claim: async (id) => {
      if (seen.get(id) === true) return false
      seen.set(id, true)
      return true
    },
    forget: async (id) => seen.delete(id),
  }
}

/** A map with a size limit. It removes the oldest entry first. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#max) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
