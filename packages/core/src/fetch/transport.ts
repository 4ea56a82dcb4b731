import { ConnectionError, ProtocolError, SvcAudioError } from '../errors.ts'
import {
  codeOf,
  isUnsent,
  namedFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/index.ts'
import { Exchange, FetchBody, UploadStream } from './exchange.ts'

/** Options of {@link fetchTransport}. Deadlines are in milliseconds. */
export interface FetchTransportOptions {
  /** The `fetch` to use instead of the runtime's. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Longest wait for the headers of the response. It starts with the last piece of the upload, or with the request if the
   * body is not streamed. It includes the connection, because `fetch` does not report it.
   * @default 600000
   */
  readonly headersTimeout?: number | undefined
  /** Longest wait between two pieces of the response's body. The reader's own time does not count. @default 120000 */
  readonly idleTimeout?: number | undefined
  /**
   * Sends uploads while they are read. `false` reads each into a `Blob` first, up to the client's `maxUploadBytes`.
   * @default true; false in browsers, which stream uploads over HTTP/2 at best
   */
  readonly streamUploads?: boolean | undefined
}

/**
 * HTTP over `fetch`, for Workers, Deno, Bun and browsers. On Node use `nodeTransport()`: it uploads in constant memory
 * and knows when nothing was sent. The built-in `fetch` of Node 26 also negotiates HTTP/2, and aborts right after the
 * TLS handshake then freeze the process (`docs/upstream` of the repository). When a connection fails, unread bytes are
 * lost, as in every web stream.
 */
export function fetchTransport(options: FetchTransportOptions = {}): Transport {
  const active = new Set<Exchange>()
  return {
    send: (request) => send(request, options, active),
    async close() {
      for (const exchange of active) exchange.fail(new Error('The transport was closed'))
    },
  }
}

async function send(
  request: TransportRequest,
  options: FetchTransportOptions,
  active: Set<Exchange>,
): Promise<TransportResponse> {
  const { fetch = globalThis.fetch, headersTimeout = 600_000, idleTimeout = 120_000 } = options
  request.signal.throwIfAborted()
  const exchange = new Exchange(request.signal, active)
  try {
    exchange.awaitHeaders(headersTimeout)
    const body = await openBody(request, options.streamUploads ?? !isBrowser(), exchange)
    const response = await fetch(request.url, {
      method: request.method,
      headers: headersFor(request, body),
      redirect: 'manual',
      signal: exchange.signal,
      // The state of a task must not come from a browser's cache. Other runtimes have no cache, and some refuse the
      // option.
      ...(isBrowser() ? { cache: 'no-store' } : {}),
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    })
    exchange.answered()
    if (response.type === 'opaqueredirect') {
      throw new ProtocolError('The service redirects, and redirects are not followed: set baseUrl to the final address')
    }
    const { status } = response
    return { status, headers: headersOf(response), body: new FetchBody(response.body, exchange, idleTimeout) }
  } catch (error) {
    const failure = exchange.failureOf(error)
    // Ends the rest of the request.
    exchange.fail(failure)
    throw request.signal.aborted ? failure : failedRequest(failure)
  }
}

async function openBody(
  { body }: TransportRequest,
  streamed: boolean,
  exchange: Exchange,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | Blob | undefined> {
  if (body === undefined) return undefined
  const opened = body.open()
  // Only memory shared between threads is copied: `fetch` refuses it.
  if (opened instanceof Uint8Array) return isUnshared(opened) ? opened : new Uint8Array(opened)
  const stream = new UploadStream(opened, exchange).stream
  if (streamed) return stream
  const blob = await new Response(stream).blob()
  exchange.awaitHeaders()
  return blob
}

function isUnshared(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
}

/** Browsers set these headers themselves. Setting one here may cause a CORS preflight. */
const OF_THE_BROWSER: readonly string[] = ['accept-encoding', 'user-agent', 'content-length']

/**
 * The headers for `fetch`. It sets the length of bytes and of a `Blob` itself, and some runtimes would send a second one
 * in the same header. Only of a stream it does not know the length.
 */
function headersFor({ headers }: TransportRequest, body: unknown): Record<string, string> {
  const own = isBrowser() ? OF_THE_BROWSER : body instanceof ReadableStream ? [] : ['content-length']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)))
}

function headersOf(response: Response): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.fromEntries(response.headers)
  // For another origin a browser hides `content-encoding`, so the length may be that of the compressed body.
  if (response.type === 'cors' && headers['content-encoding'] === undefined) delete headers['content-length']
  return headers
}

/** Pages and their workers. workerd with an old compatibility date has `importScripts` too, and refuses `cache`. */
function isBrowser(): boolean {
  return ('document' in globalThis || 'importScripts' in globalThis) && !('WebSocketPair' in globalThis)
}

/** How Deno names a connection that was never established, and Node a port that `fetch` refuses. They have no codes. */
const UNCONNECTED = /client error \(Connect\)|^bad port$/

/** The error of a request that got no response, without the name of the request: the client adds it. */
function failedRequest(error: unknown): SvcAudioError {
  if (SvcAudioError.isInstance(error)) return error
  // The error of `fetch` has no reason. Some runtimes set it as the cause.
  const cause: unknown = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const named = cause instanceof Error ? namedFailure(cause, 'start Node with --max-http-header-size') : undefined
  if (named !== undefined) return named
  const code = codeOf(cause)
  const told = cause instanceof Error ? cause.message || cause.name : String(cause)
  // Deno's messages contain the address, whose query may be a signature.
  const why = told.replaceAll(/\?[^\s)]+/g, '')
  // Node refuses invalid headers before it sends anything.
  const wasUnsent = isUnsent(cause) || code === 'UND_ERR_INVALID_ARG' || UNCONNECTED.test(why)
  return new ConnectionError(code === '' || why.includes(code) ? why : `${why} (${code})`, {
    cause: why === told ? cause : undefined,
    maybeSent: !wasUnsent,
  })
}
