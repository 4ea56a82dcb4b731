import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { TimeoutError, type TimeoutPhase } from '../errors/timeout-error.ts'
import type { ResponseBody, Transport, TransportRequest, TransportResponse } from '../transport/transport.ts'

/** Options of {@link nodeTransport}. Deadlines are in milliseconds. */
export interface NodeTransportOptions {
  /** Until the connection stands. @default 10000 */
  readonly connectTimeout?: number
  /** From the end of the request until the headers of the answer. @default 600000 */
  readonly headersTimeout?: number
  /** Between two pieces of the answer's body. @default 120000 */
  readonly idleTimeout?: number
  /** An undici dispatcher to use instead, e.g. a proxy or one with its own CA. It is the caller's to close. */
  readonly dispatcher?: Dispatcher
}

/** Bytes that may be read and thrown away to keep a connection. */
const RELEASE_BYTES = 64 * 1024

/**
 * HTTP over undici. It is `request`, not `fetch`: uploads run in constant memory and deadlines are exact. undici itself
 * is loaded with the first request, so that importing the client costs next to nothing.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  let agent: Promise<Dispatcher> | undefined
  const connect = async (): Promise<Dispatcher> => {
    const { Agent } = await import('undici')
    return new Agent({ connect: { timeout: options.connectTimeout ?? 10_000 } })
  }
  return {
    async send(request) {
      agent ??= options.dispatcher === undefined ? connect() : Promise.resolve(options.dispatcher)
      return send(await agent, request, options)
    },
    async close() {
      if (options.dispatcher === undefined) await (await agent)?.destroy()
      agent = undefined
    },
  }
}

async function send(
  dispatcher: Dispatcher,
  request: TransportRequest,
  options: NodeTransportOptions,
): Promise<TransportResponse> {
  const { origin, pathname, search } = new URL(request.url)
  try {
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: request.method,
      headers: request.headers,
      body: openBody(request),
      signal: request.signal,
      headersTimeout: options.headersTimeout ?? 600_000,
      bodyTimeout: options.idleTimeout ?? 120_000,
    })
    return { status: response.statusCode, headers: flatten(response.headers), body: toBody(response.body) }
  } catch (error) {
    throw translate(error)
  }
}

function openBody({ body }: TransportRequest): Uint8Array | Readable | null {
  if (body === undefined) return null
  const opened = body.open()
  return opened instanceof Uint8Array ? opened : Readable.from(opened, { objectMode: false })
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries)
}

function toBody(body: Dispatcher.ResponseData['body']): ResponseBody {
  // undici emits an error when a body is destroyed early; nobody is reading any more by then.
  body.on('error', () => {})
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* body
      } catch (error) {
        throw translate(error)
      }
    },
    cancel: () => {
      body.destroy()
    },
    release: () => {
      body.dump({ limit: RELEASE_BYTES }).catch(() => {})
    },
  }
}

const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'idle',
}

function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const phase = PHASES[code]
  if (phase === undefined) return error
  return new TimeoutError(phase, `The ${phase} deadline passed`, { cause: error })
}
