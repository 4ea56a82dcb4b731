import { ConfigurationError } from '../errors/configuration-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { NotReplayableError } from '../errors/not-replayable-error.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import type { Logger } from '../telemetry/logger.ts'
import { Observer } from '../telemetry/observer.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import { readApiError } from './api-error-body.ts'
import { ApiResponse } from './api-response.ts'
import { type Answer, Call } from './call.ts'
import type { CallOptions } from './call-options.ts'
import type { Gate } from './gate.ts'
import { type Redact, redactor } from './redact.ts'
import { RequestScope } from './request-scope.ts'
import { retryDelay } from './retry.ts'
import { sleep } from './sleep.ts'
import type { Clock, RequestBody, Transport, TransportResponse } from './transport.ts'

/** What an {@link Api} needs. */
export interface ApiOptions {
  readonly apiKey: string
  /** Without `/v1` and without a slash at the end. */
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  readonly random: () => number
  readonly gate: Gate
  readonly maxRetries: number
  /** Deadline for a whole call, in milliseconds. */
  readonly timeout?: number | undefined
  /** Longest silence between two events of a stream, in milliseconds. */
  readonly idleEventsTimeout: number
  readonly logger?: Logger | undefined
  readonly tracer?: Tracer | undefined
  readonly traceContent?: boolean | undefined
}

/** A request as a resource states it. */
export interface ApiRequest {
  /** For logs and traces, e.g. `speech.create`. */
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From `/v1` on, query included; or a whole address, which gets the key only if it is the service's own. */
  readonly path: string
  readonly body?: RequestBody
  /** The `Accept` header. @default 'application/json' */
  readonly accept?: string
  /** Costs money: it passes the gate. @default false */
  readonly billable?: boolean
  readonly model?: string | undefined
  /** The text that is sent, for traces that ask for it. */
  readonly content?: string | undefined
  /** How many redirects are followed. @default 0 */
  readonly redirects?: number
}

/** Sends requests with the key, tries again what may be, maps failures to errors. The only place that knows the key. */
export class Api {
  readonly #options: ApiOptions
  /** Takes the key out of a text that the service sent. */
  readonly redact: Redact

  constructor(options: ApiOptions) {
    this.#options = options
    this.redact = redactor(options.apiKey)
  }

  /**
   * Sends a request and resolves when a successful response begins.
   * @throws ApiError for an error status
   * @throws ConnectionError when no answer came
   * @throws TimeoutError when a deadline passed
   * @throws NotReplayableError when it would be tried again but for its body
   * @throws ConfigurationError for an impossible option
   */
  async send(request: ApiRequest, options: CallOptions = {}): Promise<ApiResponse> {
    const { clock, random, baseUrl, logger, tracer } = this.#options
    const { signal, timeout = this.#options.timeout, maxRetries = this.#options.maxRetries } = options
    checkRetries(maxRetries)
    const scope = new RequestScope({ signal, timeout, clock })
    const path = request.path.split('?', 1).join('')
    const observed = (logger ?? tracer) !== undefined
    const observer = observed ? new Observer({ ...request, path, baseUrl }, this.#options) : undefined
    if (observer !== undefined) scope.onEnd((error) => observer.ended(error))
    const repeatable = request.method !== 'POST' || options.retryAmbiguous === true
    for (let retries = 0, last: unknown; ; retries += 1) {
      try {
        return await this.#try(request, options, scope, observer)
      } catch (error) {
        if (error instanceof NotReplayableError) error.cause ??= last
        const delay = retryDelay(error, { retries, maxRetries, repeatable, random })
        if (scope.signal.aborted || delay === undefined || delay >= scope.remaining) {
          scope.dispose(error)
          // Whatever an abort made fail, an error body that was being read included, the abort is the reason.
          throw scope.signal.aborted ? scope.signal.reason : error
        }
        last = error
        observer?.retrying(error, delay)
        await sleep(delay, scope.signal, clock)
      }
    }
  }

  /** Sends a request and reads its JSON answer. The caller names the type that the interface documents. */
  json<Body extends object>(request: () => ApiRequest | Promise<ApiRequest>, options?: CallOptions): Call<Body> {
    return new Call(() => this.answer(request, options))
  }

  /** As {@link Api.json}, with the response beside the result. */
  async answer<Body extends object>(
    request: () => ApiRequest | Promise<ApiRequest>,
    options?: CallOptions,
  ): Promise<Answer<Body>> {
    const response = await this.send(await request(), options)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface documents the shape, and unknown fields stay
    return { data: (await response.json()) as Body, response }
  }

  /** Whether an address is the service's own, so that the key may go there. */
  isOwn(url: string): boolean {
    return url.startsWith(`${this.#options.baseUrl}/`) || new URL(url).origin === new URL(this.#options.baseUrl).origin
  }

  /** Address of the service. */
  get baseUrl(): string {
    return this.#options.baseUrl
  }

  /** Time as the client sees it. */
  get clock(): Clock {
    return this.#options.clock
  }

  /** Longest silence between two events of a stream, for one call, in milliseconds. */
  idleEventsTimeout({ idleEventsTimeout = this.#options.idleEventsTimeout }: CallOptions = {}): number {
    return idleEventsTimeout
  }

  /** Frees the connections. */
  async close(): Promise<void> {
    await this.#options.transport.close?.()
  }

  async #try(
    request: ApiRequest,
    options: CallOptions,
    scope: RequestScope,
    observer: Observer | undefined,
  ): Promise<ApiResponse> {
    const { gate } = this.#options
    const release = request.billable === true ? await gate.acquire(scope.signal) : undefined
    try {
      const response = await this.#exchange(request, options, scope, observer)
      observer?.answered(response)
      const { status } = response
      const target = request.redirects ? redirectTarget(response, this.#url(request)) : undefined
      if (target !== undefined) {
        response.body.release()
        const rest = { ...request, path: target, redirects: (request.redirects ?? 0) - 1 }
        return await this.#try(rest, options, scope, observer)
      }
      if (status < 200 || status > 299) throw await readApiError(response, this.#name(request), this.redact)
      if (release !== undefined) scope.onEnd(release)
      return new ApiResponse(response, scope, this.redact)
    } catch (error) {
      release?.()
      throw error
    }
  }

  async #exchange(
    request: ApiRequest,
    options: CallOptions,
    scope: RequestScope,
    observer: Observer | undefined,
  ): Promise<TransportResponse> {
    try {
      scope.signal.throwIfAborted()
      return await this.#options.transport.send({
        method: request.method,
        url: this.#url(request),
        headers: this.#headers(request, options, observer?.traceparent),
        body: request.body,
        signal: scope.signal,
      })
    } catch (error) {
      if (scope.signal.aborted) throw error
      // What was thrown while progress was told; a transport may have made a failed connection of it.
      if (request.body?.failure !== undefined) throw request.body.failure.error
      throw connectionError(error, this.#name(request))
    }
  }

  #url({ path }: ApiRequest): string {
    return path.startsWith('/') ? `${this.#options.baseUrl}${path}` : path
  }

  /** Method and address, for messages. */
  #name(request: ApiRequest): string {
    return `${request.method} ${this.#url(request).split('?', 1).join('')}`
  }

  #headers(request: ApiRequest, options: CallOptions, traceparent?: string): Record<string, string> {
    const { body, accept = 'application/json' } = request
    const all: Record<string, string> = { 'user-agent': 'svc-audio-core', accept }
    const own = this.isOwn(this.#url(request))
    for (const [name, value] of Object.entries(own ? (options.headers ?? {}) : {})) all[name.toLowerCase()] = value
    if (own) {
      all['authorization'] = `Bearer ${this.#options.apiKey}`
      if (traceparent !== undefined) all['traceparent'] ??= traceparent
      if (options.idempotencyKey !== undefined) all['idempotency-key'] = checkIdempotencyKey(options.idempotencyKey)
    }
    if (body !== undefined) {
      all['content-type'] = body.contentType
      if (body.contentLength !== undefined) all['content-length'] = String(body.contentLength)
    }
    return all
  }
}

/** Where a redirect leads: never from HTTPS to HTTP, and to nothing else than these. */
function redirectTarget({ status, headers }: TransportResponse, from: string): string | undefined {
  const { location } = headers
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, from)) return undefined
  const { protocol, href } = new URL(location, from)
  return protocol === 'https:' || (protocol === 'http:' && from.startsWith('http:')) ? href : undefined
}

/** A transport's own error with the name of the request before it; what is an error of ours otherwise stays. */
function connectionError(error: unknown, name: string): unknown {
  if (error instanceof ConnectionError) {
    const { maybeSent, cause } = error
    return new ConnectionError(`${name} failed: ${error.message}`, { maybeSent, cause })
  }
  if (SvcAudioError.isInstance(error)) return error
  return new ConnectionError(`${name} failed: ${describe(error)}`, { cause: error })
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `${error.message || error.name}${code}`
}

/** @throws ConfigurationError for anything but a whole number from 0 */
export function checkRetries(maxRetries: number): void {
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return
  throw new ConfigurationError('maxRetries must be a whole number, 0 or more')
}

function checkIdempotencyKey(key: string): string {
  if (typeof key === 'string' && /^[\u0021-\u007E]{1,255}$/.test(key)) return key
  throw new ConfigurationError('idempotencyKey must be 1 to 255 printable ASCII characters without spaces')
}
