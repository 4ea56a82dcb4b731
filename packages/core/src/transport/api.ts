import { type CheckOptions, httpUrl } from '../checks/index.ts'
import { ConnectionError, NotReplayableError, SvcAudioError } from '../errors.ts'
import { readApiError } from './api-error-body.ts'
import { ApiResponse } from './api-response.ts'
import { type Answer, Call, type CallOptions } from './call.ts'
import { type ApiKey, KeySource, type Redact } from './key-source.ts'
import { RequestScope, sleep, unlessAborted } from './request-scope.ts'
import { retryDelay } from './retry.ts'
import { BillablePlaces, type Semaphore } from './semaphore.ts'
import type {
  CallObserver,
  Clock,
  Observe,
  RequestBody,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport.ts'
import type { WatchUnread } from './watch-unread.ts'

/** `Accept` headers of requests for audio. */
const AUDIO: ReadonlySet<string | undefined> = new Set(['*/*', 'audio/pcm'])

/** Options of {@link Api}. */
export interface ApiOptions {
  readonly apiKey: ApiKey
  /** Sent with every request to the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Without `/v1` and without a slash at the end. */
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  readonly random: () => number
  readonly semaphore?: Semaphore | undefined
  readonly maxRetries: number
  /** Sends a key with each POST, which can then be retried. @default false */
  readonly idempotent?: boolean | undefined
  /** Deadline for a whole call, in milliseconds. */
  readonly timeout?: number | undefined
  /** Longest silence between two events of a stream, in milliseconds. */
  readonly idleEventsTimeout: number
  readonly observe?: Observe | undefined
  /** Ends answers that nobody reads. */
  readonly watchUnread?: WatchUnread | undefined
  /** Checks the options of each call. */
  readonly checkOptions?: CheckOptions | undefined
}

/** A request of a resource. */
export interface ApiRequest {
  /** The client method, for logs: `speech.create`. */
  readonly operation: string
  /** @default 'POST' with a body, else 'GET' */
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /**
   * Path from `/v1` on, with the query, or a whole address. An address gets the key only if it belongs to the service.
   */
  readonly path: string
  /** Fields of the body: all of a JSON body, or the fields beside the file of {@link ApiRequest.body}. */
  readonly fields?: object
  /** @default the fields as JSON */
  readonly body?: RequestBody | undefined
  /** The `Accept` header. @default 'application/json' */
  readonly accept?: string
  /** A billable call, which acquires the semaphore. @default false */
  readonly billable?: boolean
  /** The service works while the response is read, so the semaphore stays acquired. @default false */
  readonly streamed?: boolean
  /** Maximum redirects to follow. @default 0 */
  readonly redirects?: number
}

/** Deadline for the next event. */
export interface EventDeadline {
  readonly clock: Clock
  /**
   * Longest wait for one event, in milliseconds, greater than 0. Comments and other bytes without an event do not end
   * the wait. The reader's time between two events does not count.
   */
  readonly idleEventsTimeout: number
}

/** Sends requests with the key, retries them, maps failures to errors. The only place that knows the key. */
export class Api {
  readonly #options: ApiOptions
  readonly #keys: KeySource
  readonly #places: BillablePlaces | undefined
  /** Aborts at `close()`: calls in flight are not retried. Later calls get a new one. */
  #closing = new AbortController()

  /** @throws ConfigurationError for an invalid key */
  constructor(options: ApiOptions) {
    this.#options = options
    this.#keys = new KeySource(options.apiKey)
    const { semaphore, clock } = options
    this.#places = semaphore && new BillablePlaces(semaphore, clock)
  }

  /** Removes the key from a text of the service. */
  get redact(): Redact {
    return this.#keys.redact
  }

  /**
   * Sends a request and resolves when a successful response begins.
   * @throws ApiError for an error status
   * @throws ConnectionError when no response came
   * @throws TimeoutError when a deadline passed
   * @throws NotReplayableError if a retry needs a body that cannot be read again
   * @throws ConfigurationError for an invalid option
   */
  async send(given: ApiRequest, asked: CallOptions = {}): Promise<ApiResponse> {
    const { fields, body = fields && jsonBody(fields), method = body === undefined ? 'GET' : 'POST' } = given
    const request = { ...given, body, method }
    const isKeyed = method === 'POST' && this.#options.idempotent === true
    // One key for all attempts of the call.
    const options = isKeyed ? { idempotencyKey: crypto.randomUUID(), ...asked } : asked
    const { clock, random, baseUrl, observe } = this.#options
    const { timeout = this.#options.timeout, maxRetries = this.#options.maxRetries } = options
    this.#options.checkOptions?.(options, 'call')
    const scope = new RequestScope({ signal: options.signal, timeout, clock })
    const observer = observe?.({ ...request, path: withoutQuery(request.path), baseUrl }, clock)
    scope.onEnd((error) => observer?.ended(error))
    const repeatable = method !== 'POST' || isKeyed || options.retryAmbiguous === true
    const closing = this.#closing.signal
    for (let retries = 0, last: unknown; ; retries += 1) {
      try {
        return await this.#try({ request, options, scope, observer })
      } catch (error) {
        if (error instanceof NotReplayableError) error.cause ??= last
        const delay = retryDelay(error, { retries, maxRetries, repeatable, random })
        if (scope.signal.aborted || closing.aborted || delay === undefined || delay >= scope.remaining) {
          scope.dispose(error)
          // An abort can fail any step, also the reading of an error body. The abort is the reason to throw.
          throw scope.signal.aborted ? scope.signal.reason : error
        }
        const spent = given.body?.spent?.()
        if (spent !== undefined) {
          spent.cause = error
          scope.dispose(spent)
          throw spent
        }
        last = error
        observer?.retrying(error, delay)
        await sleep(delay, [scope.signal, closing], clock).catch((reason: unknown) => {
          if (scope.signal.aborted) throw reason
          scope.dispose(error)
          throw error
        })
      }
    }
  }

  /** Sends a request and reads its JSON response. The caller names the type that the interface documents. */
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

  /** Address of the service. */
  get baseUrl(): string {
    return this.#options.baseUrl
  }

  /** Time as the client sees it. */
  get clock(): Clock {
    return this.#options.clock
  }

  /** Longest silence of a stream of one call. */
  eventDeadline({ idleEventsTimeout = this.#options.idleEventsTimeout }: CallOptions = {}): EventDeadline {
    return { clock: this.clock, idleEventsTimeout }
  }

  /** Frees the connections, and ends calls that wait for a retry with their last error. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#closing = new AbortController()
    await this.#options.transport.close?.()
  }

  async #try(attempt: Attempt): Promise<ApiResponse> {
    const { request, scope, observer } = attempt
    const { method, path, redirects = 0 } = request
    const url = path.startsWith('/') ? this.#options.baseUrl + path : path
    const name = `${method} ${withoutQuery(url)}`
    const release = request.billable === true ? await this.#places?.acquire(scope, observer) : undefined
    try {
      const isOwn = url.startsWith(`${this.#options.baseUrl}/`)
      const key = isOwn ? (this.#keys.fixed ?? (await unlessAborted(this.#keys.current(), scope.signal))) : undefined
      const headers = this.#headers(attempt, key)
      const response = await this.#exchange(attempt, { url, headers, name })
      observer?.answered(response)
      const target = redirects > 0 ? redirectTarget(response, url) : undefined
      if (target !== undefined) {
        response.body.release()
        return await this.#try({ ...attempt, request: { ...request, path: target, redirects: redirects - 1 } })
      }
      if (response.status < 200 || response.status > 299) throw await readApiError(response, name, this.redact)
      const isAudio = AUDIO.has(request.accept)
      const answer = new ApiResponse(response, scope, this.redact, isAudio)
      if (isAudio || request.streamed === true)
        this.#options.watchUnread?.(answer, { scope, observer, clock: this.clock })
      // The service has finished a response in one piece when it begins to arrive. It works on a stream while the stream
      // is read.
      if (release !== undefined && request.streamed === true)
        this.#places?.releaseAfter(answer.progress, scope, release)
      else release?.()
      return answer
    } catch (error) {
      release?.()
      throw error
    }
  }

  async #exchange(
    attempt: Attempt,
    { url, headers, name }: { url: string; headers: Record<string, string>; name: string },
  ): Promise<TransportResponse> {
    const { method, body } = attempt.request
    const { signal } = attempt.scope
    try {
      signal.throwIfAborted()
      return this.#withoutKey(await this.#options.transport.send({ method, url, headers, body, signal }))
    } catch (error) {
      if (signal.aborted) throw error
      // The error of a progress callback. A transport may have reported it as a failed connection.
      if (body?.failure !== undefined) throw body.failure.error
      throw connectionError(error, name)
    }
  }

  /** A service may repeat the key in the id of the request, which errors and logs show. */
  #withoutKey(response: TransportResponse): TransportResponse {
    const { status, headers, body } = response
    const id = headers['x-request-id']
    const clean = id && this.redact(id)
    return clean === id ? response : { status, headers: { ...headers, 'x-request-id': clean }, body }
  }

  /** @param key `undefined` for a foreign address, which gets neither the key nor the caller's headers. */
  #headers({ request: { body, accept }, options, observer }: Attempt, key: string | undefined): Record<string, string> {
    const all: Record<string, string> = { 'user-agent': 'svc-audio-core' }
    const set = (name: string, value: string | number | undefined): void => {
      if (value !== undefined) all[name] = String(value)
    }
    for (const given of key !== undefined ? [this.#options.headers, options.headers] : []) {
      for (const [name, value] of Object.entries(given ?? {})) all[name.toLowerCase()] = value
    }
    all['accept'] ??= accept ?? 'application/json'
    // Otherwise a compressed response would be stored as audio.
    all['accept-encoding'] = 'identity'
    if (key !== undefined) {
      all['authorization'] = `Bearer ${key}`
      set('traceparent', all['traceparent'] ?? observer?.traceparent)
      set('idempotency-key', options.idempotencyKey)
    }
    set('content-type', body?.contentType)
    set('content-length', body?.contentLength)
    return all
  }
}

/** One call, shared by its attempts. */
interface Attempt {
  readonly request: ApiRequest & Pick<TransportRequest, 'method'>
  readonly options: CallOptions
  readonly scope: RequestScope
  readonly observer: CallObserver | undefined
}

/** Adds the name of the request to a transport error. Other errors of the client stay unchanged. */
function connectionError(error: unknown, name: string): unknown {
  if (error instanceof ConnectionError) {
    const { message, maybeSent, cause } = error
    return new ConnectionError(`${name} failed: ${message}`, { maybeSent, cause })
  }
  if (SvcAudioError.isInstance(error)) return error
  return new ConnectionError(`${name} failed: ${describe(error)}`, { cause: error })
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code: unknown = Reflect.get(error, 'code')
  return (error.message || error.name) + (typeof code === 'string' ? ` (${code})` : '')
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** Creates a JSON body. */
function jsonBody(value: object): RequestBody {
  const bytes = encoder.encode(JSON.stringify(value))
  return { contentType: 'application/json', contentLength: bytes.byteLength, open: () => bytes }
}

/** An address without its query, for logs and errors. */
function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** The target of a redirect. Only HTTP and HTTPS are followed, and never HTTPS to HTTP. */
function redirectTarget({ status, headers: { location } }: TransportResponse, from: string): string | undefined {
  const target = status < 300 || status > 399 ? undefined : httpUrl(location, from)
  return target?.protocol === 'https:' || from.startsWith('http:') ? target?.href : undefined
}
