import { setTimeout as delay } from 'node:timers/promises'
import { Violation } from '../outcomes.ts'
import { Answer, type Fields } from './answer.ts'

/** Options of {@link Api}. */
export interface ApiOptions {
  /** Ends before `/v1`. */
  readonly baseUrl: string
  readonly key: string
  /** Deadline of one answer, in milliseconds. */
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
  readonly #options: ApiOptions

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** Sends a request and reads its answer. Retries after a 429. */
  async send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const call = `${method} ${path}`
    for (let turn = 1; ; turn += 1) {
      const response = await this.open(method, path, sent)
      const bytes = new Uint8Array(await response.arrayBuffer())
      const again = response.status === 429 && turn < PATIENCE && !(sent.raw instanceof ReadableStream)
      if (!again) return notBroken(new Answer(call, response, bytes))
      await delay(1000 * Math.min(LONGEST_WAIT, Number(response.headers.get('retry-after') ?? 1) || 1))
    }
  }

  /** Sends a request. The caller reads the answer. */
  open(method: string, path: string, { json, form, raw, contentType, key, headers }: Sent = {}): Promise<Response> {
    const { baseUrl, timeout } = this.#options
    const body = json === undefined ? (form ?? raw) : JSON.stringify(json)
    const type = contentType ?? (json === undefined ? undefined : 'application/json')
    const bearer = key === undefined ? this.#options.key : key
    return fetch(path.startsWith('http') ? path : `${baseUrl}${path}`, {
      method,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })
  }

  /** Returns the JSON of a `GET`. @throws Violation unless the server accepts the request */
  async read(path: string): Promise<Fields> {
    return accepted(await this.send('GET', path)).fields
  }
}

/** @throws Violation unless the status is 2xx */
export function accepted(answer: Answer): Answer {
  if (answer.accepted) return answer
  throw new Violation(`${answer.call} answered ${answer.status}: ${answer.excerpt}`)
}

/** A 5xx follows no rule. */
function notBroken(answer: Answer): Answer {
  if (answer.status < 500) return answer
  throw new Violation(`${answer.call} answered ${answer.status}, an internal error of the server: ${answer.excerpt}`)
}
