import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { webClock } from '../transport/web-clock.ts'
import { drain } from '../transport/drain.ts'
import type { ResponseBody, Transport, TransportRequest, TransportResponse } from '../transport/transport.ts'
import { giveBackWritten } from './lent-chunks.ts'
import { readBody } from './read-body.ts'
import { SentBody } from './sent-body.ts'
import { translateError } from './translate-error.ts'

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

/**
 * HTTP over undici. It is `request`, not `fetch`: uploads run in constant memory and deadlines are exact. undici itself
 * is loaded with the first request, so that importing the client costs next to nothing.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  let agent: Promise<Dispatcher> | undefined
  const connect = async (): Promise<Dispatcher> => {
    const { Agent, buildConnector } = await import('undici')
    const connectSocket = buildConnector({ timeout: options.connectTimeout ?? 10_000 })
    return new Agent({
      connect: (target, callback) =>
        connectSocket(target, (...outcome) => {
          if (outcome[0] === null) giveBackWritten(outcome[1])
          callback(...outcome)
        }),
    })
  }
  return {
    async send(request) {
      agent ??= options.dispatcher === undefined ? connect() : Promise.resolve(options.dispatcher)
      return send(await agent, request, options)
    },
    async close() {
      const last = agent
      // First, so that a call that comes meanwhile gets connections of its own.
      agent = undefined
      if (options.dispatcher === undefined) await (await last)?.destroy()
    },
  }
}

async function send(
  dispatcher: Dispatcher,
  request: TransportRequest,
  options: NodeTransportOptions,
): Promise<TransportResponse> {
  const { origin, pathname, search } = new URL(request.url)
  const body = openBody(request)
  const abort = followAbort(request.signal)
  const end = (): void => {
    abort.unfollow()
    if (body instanceof SentBody) body.leave()
  }
  try {
    const sent = dispatcher.request({
      origin,
      path: pathname + search,
      method: request.method,
      headers: request.headers,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undici takes any async iterable, its types only streams
      body: body as Uint8Array | Readable | null,
      signal: abort.signal,
      headersTimeout: options.headersTimeout ?? 600_000,
      bodyTimeout: options.idleTimeout ?? 120_000,
    })
    const response = await Promise.race([sent, abort.happened])
    // An answer may come, and end, before the body was sent.
    response.body.once('close', end)
    return {
      status: response.statusCode,
      headers: flatten(response.headers),
      body: toBody(response.body, abort.signal),
    }
  } catch (error) {
    end()
    throw translateError(error)
  }
}

/**
 * An abort as undici understands it: it takes note only once it is connected, which may be as late as the connection's
 * deadline, and not at all of a reason like `0` or an empty string.
 */
function followAbort(signal: AbortSignal): { signal: AbortSignal; happened: Promise<never>; unfollow: () => void } {
  signal.throwIfAborted()
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => {
    controller.abort()
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, happened: promise, unfollow: () => signal.removeEventListener('abort', abort) }
}

function openBody({ body }: TransportRequest): Uint8Array | SentBody | null {
  if (body === undefined) return null
  const opened = body.open()
  return opened instanceof Uint8Array ? opened : new SentBody(opened)
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries)
}

function toBody(body: Readable, signal: AbortSignal): ResponseBody {
  // undici emits an error when a body is destroyed early; nobody is reading any more by then.
  body.on('error', () => {})
  let cancelled = false
  const chunks = readBody(body, () => cancelled || signal.aborted)
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* chunks
      } catch (error) {
        throw translateError(error)
      }
    },
    cancel: () => {
      cancelled = true
      body.destroy()
    },
    release: () => {
      // undici's own `dump` stands still on a body that was read by iteration.
      void drain(
        async () => (await chunks.next()).value ?? undefined,
        () => body.destroy(),
        webClock,
      )
    },
  }
}
