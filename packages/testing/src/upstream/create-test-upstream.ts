import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { status } from '../faults/status.ts'
import { callWebhook, type WebhookDelivery } from '../happy/webhooks.ts'
import { World } from '../happy/world.ts'
import { Changes } from './changes.ts'
import { answerRequest } from './exchange.ts'
import { type FullOptions, fullOptions, type TestUpstreamOptions } from './options.ts'
import { RequestRecorder } from './request-recorder.ts'
import { Script } from './script.ts'
import type { RequestMatcher, TestUpstream } from './test-upstream.ts'

/**
 * Starts a scripted upstream on a free port of 127.0.0.1. Without a script, every endpoint of the interface gives its
 * happy answer.
 * @throws RangeError if `polls` or `chunkBytes` is below 1
 */
export async function createTestUpstream(options: TestUpstreamOptions = {}): Promise<TestUpstream> {
  const full = fullOptions(options)
  const server = createServer()
  // The server has no timeouts: tests decide when a request ends.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an address and a port
  const { port } = server.address() as AddressInfo
  return new Upstream(server, `http://127.0.0.1:${port}`, full)
}

class Upstream implements TestUpstream {
  readonly url: string
  readonly apiKey: string
  readonly requests: RequestRecorder[] = []
  readonly webhooks: WebhookDelivery[] = []
  connections = 0
  mostAtOnce = 0
  readonly #server: Server
  readonly #options: FullOptions
  readonly #world: World
  readonly #script = new Script()
  readonly #changes = new Changes()
  readonly #returned = new Set<RequestRecorder>()
  readonly #closing = new AbortController()
  readonly #calls = new Map<string, Promise<void>>()
  #open = 0

  constructor(server: Server, url: string, options: FullOptions) {
    this.url = url
    this.apiKey = options.apiKey
    this.#server = server
    this.#options = options
    this.#world = new World(options, url)
    this.#world.tasks.onDone = (webhookUrl, task) => this.#calls.set(task.id, this.#callWebhook(webhookUrl, task))
    server.on('request', (message, response) => this.#receive(message, response))
    server.on('connection', (socket) => {
      this.connections += 1
      socket.once('close', () => {
        this.connections -= 1
        this.#changes.notify()
      })
    })
  }

  on(...parameters: Parameters<TestUpstream['on']>): this {
    this.#script.on(...parameters)
    return this
  }

  next(...[target, ...answers]: Parameters<TestUpstream['next']>): this {
    this.#script.next(target, answers)
    return this
  }

  reset(): this {
    this.#script.reset()
    return this
  }

  async waitForRequest(
    matcher: RequestMatcher = '*',
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<RequestRecorder> {
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
    this.#world.tasks.plan(plan)
    return this
  }

  async completeTask(
    ...[id, outcome]: Parameters<TestUpstream['completeTask']>
  ): ReturnType<TestUpstream['completeTask']> {
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
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    this.#changes.notify()
    await closed
    await Promise.all(this.#calls.values())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #receive(message: IncomingMessage, response: ServerResponse): void {
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
    // A disconnect aborts every wait of the answer.
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
