import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { lingerAfterResponse } from '@svc-audio/core/adapter'
import { ClientDisconnectedError } from './errors.ts'
import { type DrainOptions, resolveOptions } from './options.ts'

/**
 * Milliseconds between the end of a response and the reset of its stream. Chromium loses a response without a body if the
 * reset arrives with it.
 */
const RESET_DELAY_MS = 200

/** Milliseconds for the client to read a response behind which nothing more is read; as nginx's `lingering_timeout`. */
const LINGER_MS = 5000

/** Code of RST_STREAM (RFC 9113, 7). Workers with a compatibility date before September 2025 have no `node:http2` to ask. */
const NO_ERROR = 0

/** Requests whose body is discarded, with the limits. */
const drained = new WeakMap<UploadRequest, Required<DrainOptions>>()

/**
 * Reads the rest of a refused upload and discards it, up to a number of bytes and a time. The client can then read the
 * response: an immediate close would reset the connection, and a client or proxy that still sends would never see it.
 * Beyond the limits nothing is read. The connection then closes within 5 s after the response.
 */
export function drain(body: UploadRequest, limits: Required<DrainOptions>): void {
  if (body.readableEnded || body.destroyed || drained.has(body)) return
  drained.set(body, limits)
  if (body.stream !== undefined) drainStream(body, body.stream, limits)
  else if (hasStandIn(body)) drainMemory(body, limits)
  else drainConnection(body, limits)
}

/**
 * Whether an object with a few methods stands for the connection. Adapters for functions (serverless-http) and injected
 * requests of tests (light-my-request) make such requests and responses.
 */
function hasStandIn({ socket }: { readonly socket?: Partial<Socket> | null }): boolean {
  return socket !== undefined && socket !== null && typeof socket.destroySoon !== 'function'
}

/** No connection: the body is in memory, and nothing can cut the response. */
function drainMemory(body: UploadRequest, limits: Required<DrainOptions>): void {
  const end = discard(body, limits, () => body.pause())
  for (const event of ['end', 'close']) body.once(event, end)
}

/**
 * Discards the body of a request that is refused before this package has read it, such as by a guard. Call it before the
 * response is sent: behind a proxy, the response of an unread upload may otherwise be lost in a reset. It has no effect on
 * a request whose body has ended or is discarded already.
 * @param request Node's request: `req` in Express, `request.raw` in Fastify.
 * @throws ConfigurationError naming a wrong limit
 */
export function discardUpload(request: UploadRequest, limits: DrainOptions = {}): void {
  const { drain: resolved } = resolveOptions({ maxFileSize: 1, limits: { drain: limits } })
  // During the discard, the end of the connection is no error of the application.
  request.on('error', () => {})
  drain(request, resolved)
}

/** Responses of {@link discardUnread}: a plugin and a middleware may both see one. */
const watched = new WeakSet<object>()

/**
 * Discards what is left of a body when its response ends, so that refusals by guards and rate limits arrive, also those of
 * other packages. Without it, Node closes the connection of a client or proxy that still sends: nginx then reports 502. A
 * body that the application reads is left to it. At most 16 MiB are read, for 10 s. Call it at the start of a request.
 * @param response Node's response: `res` in Koa and `node:http`.
 *
 * @example
 * createServer((request, response) => {
 *   discardUnread(response)
 *   if (!isAllowed(request)) return response.writeHead(401).end()
 * })
 */
export function discardUnread(response: ServerResponse): void {
  const request: IncomingMessage & Pick<UploadRequest, 'stream'> = response.req
  const { stream } = request
  if (watched.has(response) || (stream === undefined ? !hasBody(request.headers) : stream.endAfterHeaders)) return
  watched.add(response)
  rememberResponse(response)
  const discardRest = (): void => {
    const isRead = request.listenerCount('data') > 0 || request.listenerCount('readable') > 0
    if (!request.complete && !isRead) discardUpload(request)
  }
  // Before Node closes the connection of a finished response.
  if (stream === undefined) response.once('prefinish', discardRest)
  else stream.once('finish', discardRest)
}

/** Whether a body follows. HTTP/1.1 announces every body; HTTP/2 need not. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  if (length !== undefined) return length !== '0'
  return headers['transfer-encoding'] !== undefined || ':method' in headers
}

/** Whether a discarded body may be longer than its limit, so that a rest of it stays unread. */
export function mayExceedDrain(body: UploadRequest): boolean {
  const limits = drained.get(body)
  const length = body.headers['content-length']
  return limits !== undefined && (length === undefined || Number(length) > limits.maxBytes)
}

/** HTTP/1.1: the body ends with its connection. */
function drainConnection(body: UploadRequest, limits: Required<DrainOptions>): void {
  const { socket } = body
  const release = socket === undefined ? undefined : lingerAfterResponse(socket)
  let lingering: NodeJS.Timeout | undefined
  let isOver = false
  const end = discard(body, limits, (reason) => {
    const response = responseOf(body)
    const pending = response !== undefined && !response.writableFinished
    if (pending && (reason === 'time' || response.closed)) {
      body.destroy()
      return
    }
    // A proxy may send without a look at the response until the connection takes no more bytes. A close would reach it as
    // a reset, before the response. Without reading, it stops sending and reads.
    body.pause()
    const close = (): void => {
      if (isOver) return
      if (response !== undefined) socket?.end()
      lingering = backgroundTimer(() => body.destroy(), LINGER_MS)
    }
    if (pending) response.once('finish', close)
    else close()
  })
  const stop = (): void => {
    isOver = true
    end()
    clearTimeout(lingering)
    socket?.off('close', stop)
    release?.()
  }
  for (const event of ['end', 'close']) body.once(event, stop)
  // Node forgets a request whose response is sent: its body does not close with the connection.
  socket?.once('close', stop)
}

/**
 * HTTP/2: the connection serves other requests, so only the stream ends. A server that has sent its whole response tells
 * the client to stop sending with RST_STREAM and NO_ERROR (RFC 9113, 8.1). Without it, a browser waits for ever.
 */
function drainStream(body: UploadRequest, stream: ServerHttp2Stream, limits: Required<DrainOptions>): void {
  let reset: NodeJS.Timeout | undefined
  const stop = (): void => {
    // Until then, flow control stops the client.
    body.pause()
    reset = backgroundTimer(() => {
      // A stream closes when its data has been read.
      body.resume()
      stream.close(NO_ERROR)
    }, RESET_DELAY_MS)
  }
  // Flow control stops the client until the response is sent.
  const end = discard(body, limits, () => body.pause())
  stream.once('close', () => {
    end()
    clearTimeout(reset)
  })
  if (stream.writableFinished) stop()
  else stream.once('finish', stop)
}

/**
 * Discards the body until it ends or reaches a limit.
 * @returns Stops counting.
 */
function discard(
  body: UploadRequest,
  { maxBytes, timeout }: Required<DrainOptions>,
  onLimit: (reason: 'bytes' | 'time') => void,
): () => void {
  let bytes = 0
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.byteLength
    if (bytes <= maxBytes) return
    body.off('data', count)
    onLimit('bytes')
  }
  const timer = backgroundTimer(() => {
    body.off('data', count)
    onLimit('time')
  }, timeout)
  body.on('data', count)
  body.resume()
  return () => clearTimeout(timer)
}

/**
 * A timer that does not keep the process running: a drain alone must not prevent it from exiting.
 *
 * On Workers with a compatibility date before 2026-03-01 a timer is a number, without `unref`, also with Node's types.
 */
export function backgroundTimer(work: () => void, milliseconds: number): NodeJS.Timeout {
  const timer: Partial<NodeJS.Timeout> & ReturnType<typeof setTimeout> = setTimeout(work, milliseconds)
  timer.unref?.()
  return timer
}

// Node leads from a response to its request, not back.
const responses = new WeakMap<object, ServerResponse>()

/** Remembers the response of a request, for the time in which a refused upload is discarded. */
export function rememberResponse(response: ServerResponse, request: object = response.req): void {
  responses.set(request, response)
}

/** The response of a request, if it is known. */
function responseOf(request: object): ServerResponse | undefined {
  return responses.get(request)
}

/**
 * Breaks a response that has begun: its client never takes a part for the whole. An adapter for functions has no
 * connection to close. It gets an error, and answers in its own way.
 */
export function cutResponse(response: ServerResponse): void {
  response.destroy()
  if ('stream' in response || !hasStandIn(response) || response.listenerCount('error') === 0) return
  response.emit('error', new Error('The response is incomplete'))
}

/** Runs at the end of a response. Adapters for functions do not close one that has finished. */
export function onResponseEnd(response: ServerResponse, run: () => void): void {
  if (response.closed) run()
  else response.once(hasStandIn(response) ? 'finish' : 'close', run)
}

/**
 * A signal that aborts with {@link ClientDisconnectedError} when the client disconnects before the response is complete.
 * It watches the response, because the request emits `close` as soon as its body has been read.
 * @param response Node's response: `res` in Express, `reply.raw` in Fastify.
 */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  return closeSignal(response, () => !response.writableFinished)
}

/**
 * The signal of a handler's work: it aborts as {@link disconnectSignal} does, and also when another part of the app has
 * answered in the meantime, such as a timeout. Nobody gets the result of the work then.
 * @param response Node's response: `res` in Express, `reply.raw` in Fastify.
 */
export function handlerSignal(response: ServerResponse): AbortSignal {
  return closeSignal(response, () => true)
}

function closeSignal(response: ServerResponse, isLost: () => boolean): AbortSignal {
  rememberResponse(response)
  const controller = new AbortController()
  const close = (): void => {
    if (isLost()) controller.abort(new ClientDisconnectedError())
  }
  if (response.closed) close()
  else response.once('close', close)
  return controller.signal
}

/**
 * What this package reads of a request. Node's `IncomingMessage` and `Http2ServerRequest` are such requests: `req` in
 * Express, `request.raw` in Fastify.
 */
export interface UploadRequest extends Readable {
  /** Headers by lower-case name. `content-type` and `content-length` describe the form. */
  readonly headers: IncomingHttpHeaders
  /** Method. A `HEAD` request has no body and is refused. */
  readonly method?: string | undefined
  /** 1 over HTTP/1, 2 over HTTP/2; missing if the server does not tell. */
  readonly httpVersionMajor?: number
  /** Whether the whole request has arrived. */
  readonly complete: boolean
  /** The connection of HTTP/1.1. */
  readonly socket?: Socket
  /** The stream of HTTP/2. */
  readonly stream?: ServerHttp2Stream
}
