import { optional } from '#options'
import { anything, checkRules, type RulesOf } from '../checks/index.ts'
import { SvcAudioError } from '../errors.ts'
import { checkTask, isTerminal } from '../tasks/index.ts'
import type { Task } from '../wire/index.ts'
import { CallbackTokens, namedTasks, readCallbackBody } from './callbacks.ts'
import {
  BoundedMap,
  type Callback,
  type CallbackOptions,
  checkCallbackUrl,
  checkReceiverOptions,
  memorySeenStore,
  type SeenStore,
  type WebhookHandler,
  type WebhookReceiverOptions,
} from './receiver-options.ts'
import { readSigningSecrets, verifyWebhook } from './standard-webhooks.ts'

const WEEK_SECONDS = 7 * 24 * 60 * 60

/** Longest validity of an address: ten years. */
const MAX_EXPIRY_SECONDS = 10 * 365 * 24 * 60 * 60

const CALLBACK: RulesOf<CallbackOptions> = {
  expiresInSeconds: optional((value) =>
    typeof value === 'number' && value > 0 && value <= MAX_EXPIRY_SECONDS
      ? undefined
      : `must be a number of seconds greater than 0, at most ${MAX_EXPIRY_SECONDS}`,
  ),
  state: anything,
}

/** Maximum bound addresses to remember. */
const MAX_BOUND = 10_000

/**
 * Receives the callbacks of finished tasks (interface: Webhook). Their payload is not documented, so a callback is only
 * a hint. It counts only with the token of an address from {@link WebhookReceiver.createCallback}. The receiver then
 * reads the task from the service.
 */
export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions
  readonly #url: URL
  readonly #tokens: CallbackTokens
  readonly #seen: SeenStore
  readonly #bound = new BoundedMap<string>(MAX_BOUND)
  readonly #held = new BoundedMap<true>(MAX_BOUND)
  /** Tasks being handled, with their resulting status. */
  readonly #running = new Map<string, Promise<number>>()

  /** @throws ConfigurationError naming the option */
  constructor(options: WebhookReceiverOptions) {
    checkReceiverOptions(options)
    this.#options = options
    this.#url = checkCallbackUrl(options.url)
    this.#tokens = new CallbackTokens(options.secret)
    this.#seen = options.seen ?? memorySeenStore()
    if (options.signingSecret !== undefined) readSigningSecrets(options.signingSecret)
  }

  /**
   * Creates an address for one task.
   * @throws ConfigurationError for an invalid option
   */
  async createCallback(options: CallbackOptions = {}): Promise<Callback> {
    checkRules(options, CALLBACK, 'createCallback()')
    const { expiresInSeconds = WEEK_SECONDS, state } = options
    const { token, nonce } = await this.#tokens.issue(Math.ceil(this.#seconds() + expiresInSeconds), state)
    const url = new URL(this.#url)
    url.searchParams.set('token', token)
    return {
      url: url.href,
      bind: (taskId) => this.#bound.set(nonce, taskId),
      hold: () => {
        this.#held.set(nonce, true)
        return () => this.#held.delete(nonce)
      },
    }
  }

  /**
   * Answers a callback. It does not throw. It reads only the query of the address, so a proxy may change host and path.
   *
   * - 200: the task has ended and was handled, now or before
   * - 202: the task continues
   * - 400: no task id; if the service retries, the address may be bound by then
   * - 401: no valid token, not the bound task, or no valid signature although one is required
   * - 404: the service does not know the task
   * - 405: no POST
   * - 413: a body over 1 MB
   * - 500: a handler or the store failed; 503: the task could not be read, its address is held, or its handler asked for a
   *   retry; the service calls again after both
   */
  async handle(request: Request): Promise<Response> {
    if (request.method !== 'POST') return answer(405, { allow: 'POST' })
    const token = new URL(request.url).searchParams.get('token') ?? ''
    const claim = await this.#tokens.verify(token, this.#seconds())
    if (claim === undefined) return answer(401)
    const body = await readCallbackBody(request).catch(() => new Uint8Array(0))
    if (body === undefined) return answer(413)
    if (!(await this.#isSigned(request.headers, body))) return answer(401)
    const bound = this.#bound.get(claim.nonce)
    const named = namedTasks(body)
    if (bound !== undefined && named.length > 0 && !named.includes(bound)) return answer(401)
    if (this.#held.get(claim.nonce) === true) return answer(503)
    const id = bound ?? named[0]
    return answer(id === undefined ? 400 : await this.#receive(id, claim.state))
  }

  async #isSigned(headers: Headers, body: Uint8Array): Promise<boolean> {
    const { signingSecret: secret } = this.#options
    return secret === undefined || verifyWebhook({ headers, body, secret, now: this.#seconds() })
  }

  async #receive(id: string, state: string | undefined): Promise<number> {
    const { client } = this.#options
    let task: Task
    try {
      task = checkTask(await client.tasks.retrieve(id))
    } catch (error) {
      this.#options.onError?.(error)
      return SvcAudioError.isInstance(error) && 'status' in error && error.status === 404 ? 404 : 503
    }
    if (!isTerminal(task)) return 202
    client.tasks.notify(id)
    let running = this.#running.get(id)
    if (running === undefined) {
      running = this.#handleOnce(id, task, state).finally(() => this.#running.delete(id))
      this.#running.set(id, running)
    }
    return running
  }

  /** A concurrent duplicate shares the outcome. Answering 200 would be too early. */
  async #handleOnce(id: string, task: Task, state: string | undefined): Promise<number> {
    const { handlers = {}, onError } = this.#options
    try {
      if (!(await this.#seen.claim(id))) return 200
      try {
        const name = Object.hasOwn(handlers, task.object) ? task.object : '*'
        const handle: WebhookHandler | undefined = Reflect.get(handlers, name)
        if ((await handle?.(task, { state })) !== 'retry') return 200
        await this.#seen.forget(id)
        return 503
      } catch (error) {
        onError?.(error)
        await this.#seen.forget(id)
      }
    } catch (error) {
      onError?.(error)
    }
    return 500
  }

  #seconds(): number {
    return (this.#options.now?.() ?? Date.now()) / 1000
  }
}

/**
 * Creates a receiver for the callbacks of finished tasks. It takes a web `Request` and returns a `Response`, so it
 * works with any server.
 *
 * @example
 * const receiver = createWebhookReceiver({ client: audio, secret, url: 'https://my.app/hooks/audio', handlers })
 * const callback = await receiver.createCallback()
 * const task = await audio.speech.createTask({ ...body, webhook_url: callback.url })
 * callback.bind(task.id)
 * // and in the route: return receiver.handle(request)
 *
 * @throws ConfigurationError naming the option
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  return new WebhookReceiver(options)
}

/** Fixed messages of the refusals. They contain nothing of the request. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The callback names no task',
  401: 'The callback is not accepted',
  404: 'There is no such task',
  405: 'Callbacks are sent with POST',
  413: 'The callback is too large',
  500: 'The task could not be handled',
  503: 'The task could not be read, or is not stored yet',
}

function answer(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  const message = MESSAGES[status]
  if (message === undefined) return new Response(null, { status, headers })
  return Response.json({ error: { message } }, { status, headers })
}
