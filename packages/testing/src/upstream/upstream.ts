import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Transport } from '@svc-audio/core'
import { fetchTransport } from '@svc-audio/core/fetch'
import { status } from '../faults/status.ts'
import { callWebhook, type WebhookDelivery } from '../happy/task-book.ts'
import { World } from '../happy/world.ts'
import { Changes } from './changes.ts'
import { checkOutcome, checkPlan, checkResponse, checkTarget } from './checks.ts'
import { answerRequest } from './exchange.ts'
import { inProcessFetch } from './in-process-fetch.ts'
import type { Route, Target } from './recorded-request.ts'
import type { ScriptedResponse } from './reply.ts'
import { RequestRecorder } from './request-recorder.ts'
import {
  type FullOptions,
  fullOptions,
  type RequestMatcher,
  type TestUpstream,
  type TestUpstreamOptions,
} from './test-upstream.ts'

/** Where an upstream listens. */
export interface Listener {
  /** Its address. */
  readonly url: string
  /** Closes it with every connection. */
  close(): Promise<void>
}

/** An upstream behind any listener. */
export class Upstream implements TestUpstream {
  readonly url: string
  readonly apiKey: string
  readonly requests: RequestRecorder[] = []
  readonly webhooks: WebhookDelivery[] = []
  connections = 0
  mostAtOnce = 0
  readonly fetch: TestUpstream['fetch']
  readonly transport: Transport
  readonly #listener: Listener
  readonly #options: FullOptions
  readonly #world: World
  readonly #script = new Script()
  readonly #changes = new Changes()
  readonly #returned = new Set<RequestRecorder>()
  readonly #closing = new AbortController()
  readonly #calls = new Map<string, Promise<void>>()
  #open = 0

  constructor(listener: Listener, options: FullOptions) {
    this.url = listener.url
    this.apiKey = options.apiKey
    this.fetch = inProcessFetch((message, response) => {
      this.countConnection(response)
      this.receive(message, response)
    })
    this.transport = fetchTransport({ fetch: this.fetch })
    this.#listener = listener
    this.#options = options
    this.#world = new World(options, listener.url)
    this.#world.tasks.onDone = (webhookUrl, task) => this.#calls.set(task.id, this.#callWebhook(webhookUrl, task))
  }

  /** Counts a connection until it closes. */
  countConnection(connection: EventEmitter): void {
    this.connections += 1
    connection.once('close', () => {
      this.connections -= 1
      this.#changes.notify()
    })
  }

  on(...[target, response]: Parameters<TestUpstream['on']>): this {
    checkTarget('on()', target)
    checkResponse('on()', response)
    this.#script.on(target, response)
    return this
  }

  next(...[target, ...responses]: Parameters<TestUpstream['next']>): this {
    checkTarget('next()', target)
    for (const response of responses) checkResponse('next()', response)
    this.#script.next(target, responses)
    return this
  }

  reset(): this {
    this.#script.reset()
    this.#world.tasks.forgetPlans()
    return this
  }

  async waitForRequest(
    matcher: RequestMatcher = '*',
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<RequestRecorder> {
    if (typeof matcher !== 'function') checkTarget('waitForRequest()', matcher)
    const fits =
      typeof matcher === 'function' ? matcher : ({ route }: RequestRecorder) => matcher === '*' || matcher === route
    const request = await this.#changes.until(() => {
      const found = this.requests.find((one) => !this.#returned.has(one) && fits(one))
      if (found === undefined) this.#closing.signal.throwIfAborted()
      // Marked at once: two waits never get the same request.
      else this.#returned.add(found)
      return found
    }, signal)
    return request
  }

  nextTask(...[plan]: Parameters<TestUpstream['nextTask']>): this {
    checkPlan('nextTask()', plan)
    this.#world.tasks.plan(plan)
    return this
  }

  async completeTask(
    ...[id, outcome]: Parameters<TestUpstream['completeTask']>
  ): ReturnType<TestUpstream['completeTask']> {
    if (outcome !== undefined) checkOutcome('completeTask()', outcome)
    const task = this.#world.tasks.complete(id, outcome)
    await this.#calls.get(id)
    return task
  }

  expireResults(): this {
    this.#world.results.expire()
    return this
  }

  async idle({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#changes.until(() => (this.connections === 0 ? true : undefined), signal)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new Error('The test upstream was closed'))
    for (const request of this.requests) if (request.ended === undefined) request.cutHere = true
    const closed = this.#listener.close()
    for (const request of this.requests) if (request.ended === undefined) request.cut()
    this.#changes.notify()
    await closed
    await Promise.all(this.#calls.values())
    const unused = [...this.#script.unused(), ...this.#world.tasks.unusedPlans()]
    if (unused.length > 0) throw new UnusedResponsesError(unused)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Answers a request. */
  receive(message: IncomingMessage, response: ServerResponse): void {
    const { apiKey, keepBytes } = this.#options
    const request = new RequestRecorder(message, response, { apiKey, keepBytes, changes: this.#changes })
    this.requests.push(request)
    this.#open += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open)
    response.once('close', () => {
      this.#open -= 1
    })
    // A write to a client that has disconnected fails. The test must not fail with it.
    response.on('error', () => {})
    response.setHeader('x-request-id', `req-${this.requests.length}`)
    // A disconnect aborts every wait of the response.
    const lost = (): void => void response.destroy()
    answerRequest(message, response, request, this.#world, this.#answerTo(request)).catch(lost)
    this.#changes.notify()
  }

  /**
   * Every endpoint needs the key (interface: Authentication). A result's URL has a token; other paths are not in the
   * interface.
   */
  #answerTo({ route, authorized }: RequestRecorder): ReturnType<Script['take']> {
    const isOpen = route === undefined || route === 'GET /v1/audio/results/{result_id}'
    if (authorized || isOpen) return this.#script.take(route)
    return status(401, { error: { code: 'invalid_api_key', message: 'The API key is missing or unknown' } })
  }

  async #callWebhook(...[url, task]: Parameters<World['tasks']['onDone']>): Promise<void> {
    const { webhookSecret: secret } = this.#options
    const { signal } = this.#closing
    this.webhooks.push(await callWebhook(url, task, { secret, seconds: this.#world.seconds(), signal }))
    this.#changes.notify()
  }
}

/** Thrown by `close()`: a script that no request used tests nothing. */
export class UnusedResponsesError extends Error {
  /** Survives minifiers. */
  override readonly name = 'UnusedResponsesError' as const
  /** The unused responses, by endpoint. */
  readonly unused: readonly string[]

  constructor(unused: readonly string[]) {
    super(`No request used these scripted responses: ${unused.join(', ')}. Remove them, or call \`reset()\` first`)
    this.unused = unused
  }
}

/** An address that no network has: `.invalid` is reserved. */
const URL_IN_PROCESS = 'http://upstream.invalid'

/**
 * Creates a scripted upstream without a server, for places that cannot listen: worker pools, Workers, sandboxes. Give the
 * client its `transport`, or your code its `fetch`. Answers by `handle()` need a server.
 * @throws TypeError naming an unknown option
 * @throws RangeError naming an option with a wrong value
 * @example
 * const upstream = createInProcessUpstream()
 * const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, transport: upstream.transport })
 */
export function createInProcessUpstream(options: TestUpstreamOptions = {}): TestUpstream {
  const full = fullOptions('createInProcessUpstream()', options)
  return new Upstream({ url: URL_IN_PROCESS, close: () => Promise.resolve() }, full)
}

/** The scripted responses of a test. */
export class Script {
  readonly #once = new Map<Target, ScriptedResponse[]>()
  readonly #always = new Map<Target, ScriptedResponse>()

  on(target: Target, response: ScriptedResponse): void {
    this.#always.set(target, response)
  }

  next(target: Target, responses: readonly ScriptedResponse[]): void {
    this.#once.set(target, [...(this.#once.get(target) ?? []), ...responses])
  }

  reset(): void {
    this.#once.clear()
    this.#always.clear()
  }

  /** The responses of `next` that no request took, by endpoint. An `on` is a rule, which a test may not need. */
  unused(): string[] {
    const left = [...this.#once].filter(([, responses]) => responses.length > 0)
    return left.map(([target, { length }]) => `${length} of next('${target}')`)
  }

  /** Takes the response to a request: `next` before `on`, the endpoint before `*`. */
  take(route: Route | undefined): ScriptedResponse | undefined {
    const targets: Target[] = route === undefined ? ['*'] : [route, '*']
    for (const target of targets) {
      const response = this.#once.get(target)?.shift()
      if (response !== undefined) return response
    }
    return targets.map((target) => this.#always.get(target)).find((response) => response !== undefined)
  }
}
