import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type Fields, NotChecked, Violation } from '../expect.ts'
import { ApiResponse } from './response.ts'

/** Options of {@link Api}. */
export interface ApiOptions {
  /** Ends before `/v1`. */
  readonly baseUrl: string
  readonly key: string
  /** Deadline of one response, in milliseconds. */
  readonly timeout: number
}

/** Content of a request. */
export interface Sent {
  /** Sent as JSON. */
  readonly json?: unknown
  readonly form?: FormData
  /** Raw body, sent with `contentType`. */
  readonly raw?: string | ReadableStream<Uint8Array>
  readonly contentType?: string
  /** Another key; `null` sends none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Maximum number of attempts of a request that gets 429. */
const PATIENCE = 5
/** Longest wait between two attempts, in seconds. */
const LONGEST_WAIT = 30

/** Sends requests to the server under test with plain `fetch`. No client hides a fault. */
export class Api {
  /** Requests other than `GET` that were sent twice, and why. */
  readonly notes: string[] = []
  readonly #options: ApiOptions
  #clock: number | undefined

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** The server's clock in Unix seconds, by the `Date` of its latest response. `undefined` if it sends none. */
  get serverTime(): number | undefined {
    return this.#clock === undefined ? undefined : Date.now() / 1000 + this.#clock
  }

  /** Sends a request and reads its response. Retries after a 429. */
  async send(method: string, path: string, sent: Sent = {}): Promise<ApiResponse> {
    const call = `${method} ${path}`
    for (let turn = 1; ; turn += 1) {
      const response = await this.open(method, path, sent)
      const bytes = await readBody(call, response)
      const again = response.status === 429 && turn < PATIENCE && !(sent.raw instanceof ReadableStream)
      if (!again) return notBroken(new ApiResponse(call, response, bytes))
      await delay(1000 * Math.min(LONGEST_WAIT, Number(response.headers.get('retry-after') ?? 1) || 1))
    }
  }

  /**
   * Sends a request. The caller reads the response.
   * @throws Violation naming the request if no response comes
   */
  async open(method: string, path: string, sent: Sent = {}): Promise<Response> {
    try {
      return this.#noteTime(await fetch(this.#url(path), this.#init(method, sent)))
    } catch (error) {
      if (closedWhileIdle(error)) return this.#noteTime(await this.#openAgain(method, path, sent))
      throw new Violation(`${method} ${path} got no answer: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** Returns the JSON of a `GET`. @throws Violation unless the server accepts the request */
  async read(path: string): Promise<Fields> {
    return accepted(await this.send('GET', path)).fields
  }

  /** Sends a request again, on a connection of its own, after the server closed the first one while it was idle. */
  async #openAgain(method: string, path: string, sent: Sent): Promise<Response> {
    const told = `${method} ${path}: the server closed the idle connection`
    if (sent.raw instanceof ReadableStream)
      throw new NotChecked(`${told}, and the body can be sent only once: run again`)
    if (method !== 'GET') this.notes.push(`${told}, so the request was sent twice`)
    const { headers, body, signal } = this.#init(method, sent)
    const encoded = new Request(this.#url(path), { method, headers, ...(body === undefined ? {} : { body }) })
    const bytes = new Uint8Array(await encoded.arrayBuffer())
    try {
      const length: Record<string, string> = method === 'GET' ? {} : { 'content-length': String(bytes.byteLength) }
      const all = { ...Object.fromEntries(encoded.headers), ...length }
      return await sendFresh({ method, url: encoded.url, headers: all, body: bytes, signal })
    } catch (error) {
      throw new Violation(`${method} ${path} got no response on a new connection either: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  #url(path: string): string {
    return path.startsWith('http') ? path : `${this.#options.baseUrl}${path}`
  }

  #init(method: string, { json, form, raw, contentType, key, headers }: Sent) {
    const body = json === undefined ? (form ?? raw) : JSON.stringify(json)
    const type = contentType ?? (json === undefined ? undefined : 'application/json')
    const bearer = key === undefined ? this.#options.key : key
    return {
      method,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      signal: AbortSignal.timeout(this.#options.timeout),
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
    }
  }

  #noteTime(response: Response): Response {
    const time = Date.parse(response.headers.get('date') ?? '')
    if (Number.isFinite(time)) this.#clock = (time - Date.now()) / 1000
    return response
  }
}

/** @throws Violation unless the status is 2xx */
export function accepted(response: ApiResponse): ApiResponse {
  if (response.accepted) return response
  throw new Violation(`${response.call} answered ${response.status}: ${response.excerpt}`)
}

/** A 5xx follows no rule. */
function notBroken(response: ApiResponse): ApiResponse {
  if (response.status < 500) return response
  throw new Violation(
    `${response.call} answered ${response.status}, an internal error of the server: ${response.excerpt}`,
  )
}

/** @throws Violation naming the request if the response breaks off */
async function readBody(call: string, response: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer())
  } catch (error) {
    throw new Violation(`${call} answered ${response.status}, and its body broke off: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * Whether a request failed because the server closed its connection after an earlier response on it. HTTP lets a server
 * close an idle connection at any time, so this alone breaks no rule.
 */
function closedWhileIdle(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  const socket: unknown = Reflect.get(cause, 'socket')
  // Only a connection that has served a response has read bytes.
  if (typeof socket === 'object' && socket !== null) return Number(Reflect.get(socket, 'bytesRead')) > 0
  return ['ECONNRESET', 'EPIPE'].includes(String(Reflect.get(cause, 'code')))
}

/** Says why a request got no response: `fetch` alone says “fetch failed”. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

/** A request on a connection of its own. */
interface FreshRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/** Sends a request on a new connection, which `fetch` cannot ask for, and reads its response. */
async function sendFresh({ method, url, headers, body, signal }: FreshRequest): Promise<Response> {
  const call = (url.startsWith('https:') ? secureRequest : request)(url, { method, headers, signal, agent: false })
  const answered: Promise<IncomingMessage[]> = once(call, 'response')
  call.end(body)
  const [response] = await answered
  if (response === undefined) throw new Error('no response')
  const { statusCode = 0, rawHeaders } = response
  const bytes = new Uint8Array(await buffer(response))
  const named = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  )
  return new Response(bytes.byteLength > 0 ? bytes : null, { status: statusCode, headers: named })
}
