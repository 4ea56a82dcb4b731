import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  discardUnread as discardUnreadOf,
  discardUpload,
  failureAnswer,
  type FailureLogger,
  fromWebRequest,
  logFailure,
  type UploadValues,
  type UploadRequest,
} from '@svc-audio/upload'
import {
  type AudioHandlerOptions,
  audioResponder,
  failureResponse,
  handlerSignal,
  openCall,
  type PlayResultHandlerOptions,
  playResultResponder,
  requestText,
  type Responder,
  type ServerPort,
  type SpeakHandlerOptions,
  speakResponder,
  type TranscribeHandlerOptions,
  transcribeResponder,
  type Uncalled,
  type UploadHandlerOptions,
  uploadResponder,
  webDisconnectSignal,
  type WebhookHandlerOptions,
  webhookResponder,
  webText,
} from '@svc-audio/upload/adapter'
import type { Context, Env, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/**
 * A handler of Hono. A failure is thrown as an `HTTPException` with a response that is safe to show, and the original
 * error as `cause`: without `app.onError`, Hono sends that response.
 */
export type HonoHandler<E extends Env = Env> = (c: Context<E>) => Promise<Response>

/** Options of {@link transcribeUpload}. Those that may be functions get the context. */
export type TranscribeUploadOptions<
  E extends Env = Env,
  Values = UploadValues,
  Model extends string = string,
> = TranscribeHandlerOptions<Context<E>, Values, Response, Model>
/** Options of {@link forwardUpload}. */
export type ForwardUploadOptions<Result, E extends Env = Env, Values = UploadValues> = UploadHandlerOptions<
  Result,
  Context<E>,
  Values
>
/** Options of {@link speak}. */
export type SpeakOptions<E extends Env = Env, Format extends string = string> = SpeakHandlerOptions<Context<E>, Format>
/** Options of {@link forwardAudio}. */
export type ForwardAudioOptions<E extends Env = Env> = AudioHandlerOptions<Context<E>>
/** Options of {@link playResult}. Without `task`, the id is the route's parameter `id`. */
export type PlayResultOptions<E extends Env = Env> = PlayResultHandlerOptions<Context<E>>
/** Options of {@link audioWebhooks}. */
export type AudioWebhooksOptions = WebhookHandlerOptions

/**
 * A handler that transcribes the one file of a multipart form. The file streams to the service while it arrives. When
 * the client disconnects, the call is aborted.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client }))
 */
export function transcribeUpload<E extends Env = Env, Values = UploadValues, Model extends string = string>(
  options: TranscribeUploadOptions<E, Values, Model>,
  ..._uncalled: Uncalled<'transcribeUpload'>[]
): HonoHandler<E> {
  return handler(options, transcribeResponder('transcribeUpload', options))
}

/**
 * A handler that streams the one file of a multipart form into any call of the client: a stored file, a voice, a task.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function forwardUpload<Result, E extends Env = Env, Values = UploadValues>(
  options: ForwardUploadOptions<Result, E, Values>,
  ..._uncalled: Uncalled<'forwardUpload'>[]
): HonoHandler<E> {
  return handler(options, uploadResponder('forwardUpload', options))
}

/**
 * A handler that answers with spoken text while the service synthesizes it. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function speak<E extends Env = Env, Format extends string = string>(
  options: SpeakOptions<E, Format>,
  ..._uncalled: Uncalled<'speak'>[]
): HonoHandler<E> {
  return handler(options, speakResponder('speak', options, honoPort<E>()))
}

/**
 * A handler that answers with the audio of any call, for example a dialogue. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function forwardAudio<E extends Env = Env>(
  options: ForwardAudioOptions<E>,
  ..._uncalled: Uncalled<'forwardAudio'>[]
): HonoHandler<E> {
  return handler(options, audioResponder('forwardAudio', options, honoPort<E>()))
}

/**
 * A handler that serves the audio of a finished task, with `Range`.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function playResult<E extends Env = Env>(
  options: PlayResultOptions<E>,
  ..._uncalled: Uncalled<'playResult'>[]
): HonoHandler<E> {
  return handler(options, playResultResponder('playResult', options, honoPort<E>()))
}

/**
 * A handler for the callbacks of finished tasks (interface: Webhook).
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function audioWebhooks<E extends Env = Env>(
  options: AudioWebhooksOptions,
  ..._uncalled: Uncalled<'audioWebhooks'>[]
): HonoHandler<E> {
  return handler(
    options,
    webhookResponder('audioWebhooks', options, (c) => c.req.raw),
  )
}

/**
 * Middleware for the top of an app on Node: when a response ends before its body was read, the rest of the body is
 * discarded, up to 16 MiB in 10 s. Refusals of guards and of rate limits then arrive also behind a proxy, which would
 * otherwise report 502. The handlers of this package do so themselves. On other runtimes it does nothing.
 *
 * @example
 * app.use(discardUnread())
 */
export function discardUnread(): MiddlewareHandler {
  return async (c, next) => {
    const exchange = nodeExchange(c)
    if (exchange !== undefined) discardUnreadOf(exchange.outgoing)
    await next()
  }
}

function handler<E extends Env>(
  { logger }: { readonly logger?: FailureLogger | false },
  respond: Responder<Context<E>, Context<E>>,
): HonoHandler<E> {
  const port = honoPort<E>()
  return async (c) => {
    const call = openCall(port, c, logger)
    try {
      return await respond(call)
    } catch (error) {
      const upload = call.taken()
      // An option that is a function may refuse the request before anything is read of it.
      if (upload !== undefined) discardUpload(upload)
      const response = failureAnswer(error)
      const exchange = nodeExchange(c)
      if (exchange !== undefined) joinWrites(exchange)
      // On Node, the discard itself keeps the connection open for the response.
      const res = failureResponse(error, exchange === undefined ? upload : undefined)
      if (response === undefined || res === undefined) throw error
      logFailure(error, call.log)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statuses of failures have bodies
      throw new HTTPException(response.status as ContentfulStatusCode, { res, message: response.message, cause: error })
    }
  }
}

/**
 * Sends the head and the body of a refusal together. Hono copies the response of an exception as a stream, so its
 * server sends the head first. HAProxy 2.6 forwards a head that comes alone, and may keep the body until the client's
 * timeout if the client stops sending at the head, as curl does. The end of the response releases what is held.
 */
function joinWrites({ incoming, outgoing }: NodeExchange): void {
  if (incoming.httpVersionMajor === 1) outgoing.cork()
}

/** The parts of a Hono context. */
function honoPort<E extends Env>(): ServerPort<Context<E>> {
  return {
    context: (c) => c,
    upload: uploadOf,
    signal: (c) => {
      const exchange = nodeExchange(c)
      return exchange === undefined ? webDisconnectSignal(c.req.raw) : handlerSignal(exchange.outgoing)
    },
    method: (c) => c.req.method,
    path: (c) => c.req.path,
    header: (c, name) => c.req.header(name),
    text: textOf,
    taskId: (c) => c.req.param('id') ?? '',
  }
}

/**
 * The body as Node's stream, which is faster, unless a middleware has touched or replaced the Web request: it then has what
 * is left of the body.
 */
function uploadOf<E extends Env>(c: Context<E>): UploadRequest {
  const exchange = nodeExchange(c)
  if (exchange === undefined) return fromWebRequest(c.req.raw)
  const { incoming, outgoing } = exchange
  return isUntouched(c.req.raw, incoming) ? incoming : fromWebRequest(c.req.raw, outgoing)
}

/**
 * Whether the request is the one of `@hono/node-server`, and nothing has asked for its body. The server's request holds
 * Node's one, and makes a real `Request` when something uses it. Its body would show a look at `body` by reading ahead.
 */
function isUntouched(request: Request, incoming: IncomingMessage): boolean {
  const held = Object.getOwnPropertySymbols(request).map((key): unknown => Reflect.get(request, key))
  const isWrapped = held.some((value) => value instanceof Request)
  return held.includes(incoming) && !isWrapped && incoming.readableFlowing === null && !incoming.readableDidRead
}

/**
 * Node's request and response, which `@hono/node-server` puts into `c.env`. Only they keep the connection of a refused upload
 * open until a proxy has read the response.
 */
function nodeExchange<E extends Env>({ env }: Context<E>): NodeExchange | undefined {
  const given: unknown = env
  if (typeof given !== 'object' || given === null || !('incoming' in given && 'outgoing' in given)) return undefined
  const { incoming, outgoing } = given
  return isIncoming(incoming) && isOutgoing(outgoing) ? { incoming, outgoing } : undefined
}

// By their methods: HTTP/2 has other classes, and Workers have none.
function isIncoming(value: unknown): value is IncomingMessage {
  return hasMethod(value, 'pipe') && 'headers' in value
}

function isOutgoing(value: unknown): value is ServerResponse {
  return hasMethod(value, 'writeHead')
}

function hasMethod(value: unknown, name: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
}

/** Node's request and its response. */
interface NodeExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** A validator may have read the body. Hono then has its JSON. */
async function textOf<E extends Env>(c: Context<E>): Promise<string> {
  if (!c.req.raw.bodyUsed) return webText(c.req.raw)
  return requestText({ body: await c.req.json<unknown>(), query: c.req.query('text') })
}
