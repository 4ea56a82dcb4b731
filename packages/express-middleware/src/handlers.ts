import type { DiarizedTranscription, PureAudioClient, Transcription } from '@svc-audio/core'
import {
  discardUnread as discardUnreadOf,
  discardUpload,
  type FailureLogger,
  logFailure,
  type PerRequest,
  type ReceivedUpload,
  type StreamedUpload,
  type StreamUploadOptions,
  type TranscribeOptions,
  type UploadValues,
} from '@svc-audio/upload'
import {
  type AudioHandlerOptions,
  audioResponder,
  type FailureLog,
  type HandlerLogOptions,
  handlerSignal,
  onResponseEnd,
  openCall,
  type PlayResultHandlerOptions,
  playResultResponder,
  requestText,
  type Responder,
  type RespondJson,
  type RespondSse,
  type RespondTask,
  sendResponse,
  type ServerPort,
  type SpeakHandlerOptions,
  speakResponder,
  transcribeResponder,
  type Uncalled,
  uploadResponder,
  type WebhookHandlerOptions,
  webhookRequest,
  webhookResponder,
} from '@svc-audio/upload/adapter'
import type { NextFunction, Request, RequestHandler, Response } from 'express'

declare global {
  // The Express way to type fields that a middleware adds to a request.
  // oxlint-disable-next-line typescript/no-namespace -- the types of Express are a namespace
  namespace Express {
    interface Request {
      /** The text of the uploaded audio, behind `transcribeUpload()` only. A diarized one has `segments`. */
      transcription: Transcription | DiarizedTranscription
      /** The upload, behind `transcribeUpload()` and in `answer` of `forwardUpload()` only. */
      upload: ReceivedUpload<unknown>
    }
  }
}

/**
 * A request behind `transcribeUpload()`, for the annotation of handlers. Both fields are declared on every request, since
 * Express passes one type to all handlers of a route: they are set only behind the middleware.
 */
export type TranscribedRequest = Request & Pick<Express.Request, 'transcription' | 'upload'>

/** Options of every handler of this package. If `audioErrors()` has logged a failure, `logger` does not get it. */
export type HandlerOptions = HandlerLogOptions

/** Options of {@link transcribeUpload} that every kind of response has. */
export interface CommonTranscribeOptions<Values = UploadValues, Model extends string = string>
  extends TranscribeOptions<Request, Values, Model>, HandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Request>
}

/**
 * Options of {@link transcribeUpload}, by `respond`. Those that may be functions get the request.
 *
 * - `json`, the default: the next handler runs, with `req.transcription`, `req.upload`, and the values of the text fields in
 *   `req.body`. It responds.
 * - `sse`: the response is the service's event stream, while the audio is recognized.
 * - `task`: the response is 202 with a task, for long recordings. Its result is read by `tasks.retrieve` or a webhook.
 */
export type TranscribeUploadOptions<Values = UploadValues, Model extends string = string> = CommonTranscribeOptions<
  Values,
  Model
> &
  (RespondJson | RespondSse<Model> | RespondTask<Request>)

/** Options of {@link forwardUpload}. */
export interface ForwardUploadOptions<Result, Values = UploadValues>
  extends StreamUploadOptions<Request, Values>, HandlerOptions {
  /** Makes the call with `upload.file` and `upload.options`. */
  readonly call: (upload: StreamedUpload<Values>, request: Request) => Promise<Result>
  /**
   * Answers the request; `req.upload` describes the upload, and `req.body` has the values of its text fields.
   * @default 200 with the result as JSON
   */
  readonly answer?: (result: Result, request: Request, response: Response) => unknown
}

/** Options of {@link speak}. Those that may be functions get the request. */
export type SpeakOptions<Format extends string = string> = SpeakHandlerOptions<Request, Format>
/** Options of {@link forwardAudio}. */
export type ForwardAudioOptions = AudioHandlerOptions<Request>
/** Options of {@link playResult}. Without `task`, the id is the route's parameter `id`. */
export type PlayResultOptions = PlayResultHandlerOptions<Request>
/** Options of {@link audioWebhooks}. */
export type AudioWebhooksOptions = WebhookHandlerOptions

/**
 * Middleware that transcribes the one file of a multipart form. The file streams to the service, which starts before the
 * upload has ended: nothing of it is stored in memory or on disk. When the client disconnects, the call is aborted.
 *
 * Every failure goes to `next`, safe to show: `UploadError`, `AudioGatewayError` or `ClientDisconnectedError`, each with
 * `status`, `code` and a message for the caller. A failed call is not retried: an upload in flight cannot be sent twice.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (req, res) => {
 *   res.json(req.transcription)
 * })
 */
export function transcribeUpload<Values = UploadValues, Model extends string = string>(
  options: TranscribeUploadOptions<Values, Model>,
  ..._uncalled: Uncalled<'transcribeUpload'>[]
): RequestHandler {
  const respond = transcribeResponder<Exchange, Request, Values, unknown, Model>('transcribeUpload', options, {
    json: async ({ request }, outcome) => {
      Object.assign(request, outcome)
      return NEXT
    },
  })
  return handler(options, respond)
}

/**
 * A handler that streams the one file of a multipart form into any call of the client: a stored file, a voice, a task.
 * Limits, aborts and failures are those of `transcribeUpload`.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/voices', forwardUpload({
 *   maxFileSize: 20_000_000,
 *   call: (upload) => client.voices.create({ audio_sample: upload.file, name: upload.field('name') ?? '' }, upload.options),
 * }))
 */
export function forwardUpload<Result, Values = UploadValues>(
  options: ForwardUploadOptions<Result, Values>,
  ..._uncalled: Uncalled<'forwardUpload'>[]
): RequestHandler {
  const respond = uploadResponder<Exchange, Result, Request, Values, unknown>(
    'forwardUpload',
    options,
    async ({ request, response }, { result, upload }) => {
      Object.assign(request, { upload })
      const { answer } = options
      await (answer === undefined ? response.json(result) : answer(result, request, response))
    },
  )
  return handler(options, respond)
}

/**
 * A handler that answers with spoken text, sent on while the service synthesizes it. When the client disconnects, the
 * call is aborted. A failure before the first audio goes to `next`, safe to show; a later one closes the connection, so
 * that a client never takes a part for the whole. `HEAD` makes no call. A failed call is not retried unless asked.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/speak', express.json(), speak({ client, voice_id: 'rms' }))
 */
export function speak<Format extends string = string>(
  options: SpeakOptions<Format>,
  ..._uncalled: Uncalled<'speak'>[]
): RequestHandler {
  return handler(options, speakResponder('speak', options, port))
}

/**
 * A handler that answers with the audio of any call: speech, dialogue, a generated voice, a stored result. The audio
 * is sent while it arrives. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/dialogue', express.json(), forwardAudio({
 *   call: (req, options) => client.dialogue.create({ model: 'svc-ttsd-1.0', speakers, segments: req.body.segments }, options),
 * }))
 */
export function forwardAudio(options: ForwardAudioOptions, ..._uncalled: Uncalled<'forwardAudio'>[]): RequestHandler {
  return handler(options, audioResponder('forwardAudio', options, port))
}

/**
 * A handler that serves the audio of a finished task, with `Range`, which players on phones need to start and to seek.
 * It answers 404 for an unknown task, and 409 with `Retry-After` for one that is not finished.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.get('/speech/:id', playResult({ client, task: (req) => ownTaskId(req.user, req.params.id) }))
 */
export function playResult(options: PlayResultOptions, ..._uncalled: Uncalled<'playResult'>[]): RequestHandler {
  return handler(options, playResultResponder('playResult', options, port))
}

/**
 * A handler for the callbacks of finished tasks (interface: Webhook). The receiver checks the token of the address, reads
 * the task from the service, runs its handler once, and says what to answer.
 *
 * Mount it in front of `express.json()` if the receiver has a `signingSecret`: the signature covers the bytes as they
 * came. `req.rawBody` and the `Buffer` of `express.raw()` work too.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.use('/hooks/audio', audioWebhooks({ receiver }))
 */
export function audioWebhooks(
  options: AudioWebhooksOptions,
  ..._uncalled: Uncalled<'audioWebhooks'>[]
): RequestHandler {
  return handler(options, webhookResponder('audioWebhooks', options, callbackOf))
}

/**
 * Middleware for the top of an app: when a response ends before its body was read, the rest of the body is discarded, up to
 * 16 MiB in 10 s. Refusals of guards, of Passport and of rate limits then arrive also behind a proxy, which would otherwise
 * report 502. The handlers of this package and `audioErrors()` discard the bodies of what they refuse themselves.
 *
 * @example
 * app.use(discardUnread())
 */
export function discardUnread(): RequestHandler {
  return (_request, response, next) => {
    discardUnreadOf(response)
    next()
  }
}

/** The arguments of a handler. */
interface Exchange {
  readonly request: Request & { readonly rawBody?: unknown }
  readonly response: Response
  readonly next: NextFunction
}

/** Stands for the response that the next handler makes. */
const NEXT = Symbol('next')

/** The parts of an Express request. */
const port: ServerPort<Exchange, Request> = {
  context: ({ request }) => request,
  upload: ({ request }) => request,
  signal: ({ response }) => handlerSignal(response),
  method: ({ request }) => request.method,
  path: ({ request }) => request.originalUrl.replace(/\?.*/s, ''),
  header: ({ request }, name) => request.get(name),
  text: ({ request }) => {
    const body: unknown = request.body
    const isUnread = body === undefined && request.headers['content-type'] !== undefined
    const hint = isUnread ? 'No body parser has read the body: add express.json() to the route' : undefined
    return requestText({ body, query: request.query['text'] }, hint)
  },
  taskId: ({ request: { params } }) => (typeof params['id'] === 'string' ? params['id'] : ''),
  setBody: ({ request }, values) => {
    request.body = values
  },
  onLateFailure: fail,
}

/** The callback of a webhook, with its unparsed body if that is still available. */
function callbackOf({ request }: Exchange): globalThis.Request {
  const { originalUrl: url, method, headers } = request
  const body: unknown = request.rawBody ?? request.body
  const isRead = request.readableEnded || request.readableDidRead
  const available = isRead || typeof body === 'string' || Buffer.isBuffer(body) ? body : request
  return webhookRequest({ url, method, headers }, available)
}

/** A handler for Express 4 and 5. Express 4 ignores a returned promise: its rejection would end the process. */
function handler(
  { logger }: { readonly logger?: FailureLogger | false },
  respond: Responder<Exchange, Request, unknown>,
): RequestHandler {
  const run = async (exchange: Exchange): Promise<void> => {
    const call = openCall(port, exchange, logger)
    try {
      const answer = await respond(call)
      if (answer instanceof globalThis.Response) await sendResponse(exchange.response, answer, call.signal)
      if (answer !== NEXT) return
    } catch (error) {
      fail(exchange, error, call.log)
      return
    }
    // Outside the `try`: errors of later handlers belong to them.
    exchange.next()
  }
  return (request, response, next) => void run({ request, response, next })
}

function fail({ request, response, next }: Exchange, error: unknown, log: FailureLog): void {
  // An option that is a function may refuse the request before anything is read of it.
  discardUpload(request)
  onResponseEnd(response, () => logFailure(error, log))
  // The event stream has already sent its final event. Express would cut the connection before that event was sent.
  if (response.writableEnded) onResponseEnd(response, () => next(error))
  else next(error)
}
