import type { ServerResponse } from 'node:http'
import { ConfigurationError } from '@svc-audio/core'
import { discardUpload } from '../connection.ts'
import { AudioGatewayError } from '../errors.ts'
import { type FailureLogger, logFailure } from '../failure.ts'
import type { UploadValues } from '../fields.ts'
import { alreadyRead } from '../form.ts'
import { checkOptions, type Uncalled } from '../options.ts'
import { openCall, type Responder, type ServerPort } from '../server/port.ts'
import { failureResponse } from '../server/response.ts'
import {
  type AudioHandlerOptions,
  audioResponder,
  playResultResponder,
  speakResponder,
} from '../server/speech-responders.ts'
import {
  type TranscribeHandlerOptions,
  transcribeResponder,
  type UploadHandlerOptions,
  uploadResponder,
} from '../server/upload-responders.ts'
import { type WebhookHandlerOptions, webhookResponder } from '../server/webhooks.ts'
import { requestText } from '../speech/speak-call.ts'
import type { SpeakHandlerOptions } from '../speech/speak-options.ts'
import type { PlayResultHandlerOptions } from '../speech/task-audio.ts'
import { fromNodeContext, type NodeContext } from './node-context.ts'
import { fromWebRequest, webDisconnectSignal } from './request.ts'

/** A route function of a server that speaks fetch. */
export type WebHandler<Context extends WebContext = Request> = (context: Context) => Promise<Response>

/** Options of {@link transcribeUpload}. Those that may be functions get the argument of the route function. */
export type TranscribeUploadOptions<
  Context extends WebContext = WebContext,
  Values = UploadValues,
  Model extends string = string,
> = TranscribeHandlerOptions<Context, Values, Response, Model>
/** Options of {@link forwardUpload}. */
export type ForwardUploadOptions<
  Result,
  Context extends WebContext = WebContext,
  Values = UploadValues,
> = UploadHandlerOptions<Result, Context, Values>
/** Options of {@link speak}. */
export type SpeakOptions<Context extends WebContext = WebContext, Format extends string = string> = SpeakHandlerOptions<
  Context,
  Format
>
/** Options of {@link forwardAudio}. */
export type ForwardAudioOptions<Context extends WebContext = WebContext> = AudioHandlerOptions<Context>
/** Options of {@link playResult}. `task` is required: a Web request has no parameters of a route. */
export type PlayResultOptions<Context extends WebContext = WebContext> = PlayResultHandlerOptions<Context> &
  Required<Pick<PlayResultHandlerOptions<Context>, 'task'>>
/** Options of {@link audioWebhooks}. */
export type AudioWebhooksOptions = WebhookHandlerOptions

/**
 * A route function that transcribes the one file of a multipart form, from a Web `Request` to a `Response`: Next.js,
 * SvelteKit, React Router, Astro, Elysia, Bun, Deno, Workers. The file streams to the service while it arrives. Limits,
 * checks, aborts and failures are those of `transcribeRequest`. Options that are functions get the argument of the route
 * function: the request, or an object with the request.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * // Next.js: app/transcribe/route.ts. SvelteKit: src/routes/transcribe/+server.ts
 * export const POST = transcribeUpload({ client, maxFileSize: 25_000_000 })
 */
export function transcribeUpload<
  Context extends WebContext = WebContext,
  Values = UploadValues,
  Model extends string = string,
>(
  options: TranscribeUploadOptions<Context, Values, Model>,
  ..._uncalled: Uncalled<'transcribeUpload'>[]
): WebHandler<Context> {
  return answering(options, transcribeResponder('transcribeUpload', options))
}

/**
 * A route function that streams the one file of a multipart form into any call of the client: a stored file, a voice, a
 * task. Everything else is as in {@link transcribeUpload}.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function forwardUpload<Result, Context extends WebContext = WebContext, Values = UploadValues>(
  options: ForwardUploadOptions<Result, Context, Values>,
  ..._uncalled: Uncalled<'forwardUpload'>[]
): WebHandler<Context> {
  return answering(options, uploadResponder('forwardUpload', options))
}

/**
 * A route function that answers with spoken text, sent on while the service synthesizes it. The text is `text` of a JSON
 * body, else of the query. When the client disconnects, the call is aborted. A failure before the first audio is an error
 * response; a later one breaks the body, so that a client never takes a part for the whole. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * export const POST = speak({ client, voice_id: 'rms' })
 */
export function speak<Context extends WebContext = WebContext, Format extends string = string>(
  options: SpeakOptions<Context, Format>,
  ..._uncalled: Uncalled<'speak'>[]
): WebHandler<Context> {
  return answering(options, speakResponder('speak', options, webPort()))
}

/**
 * A route function that answers with the audio of any call: speech, dialogue, a generated voice, a stored result. `HEAD`
 * makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function forwardAudio<Context extends WebContext = WebContext>(
  options: ForwardAudioOptions<Context>,
  ..._uncalled: Uncalled<'forwardAudio'>[]
): WebHandler<Context> {
  return answering(options, audioResponder('forwardAudio', options, webPort()))
}

/**
 * A route function that serves the audio of a finished task, with `Range`, which players on phones need to start and to
 * seek. It answers 404 for an unknown task, and 409 with `Retry-After` for one that is not finished.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function playResult<Context extends WebContext = WebContext>(
  options: PlayResultOptions<Context>,
  ..._uncalled: Uncalled<'playResult'>[]
): WebHandler<Context> {
  checkOptions('playResult', { task: options.task }, { task: needsTask })
  return answering(options, playResultResponder('playResult', options, webPort()))
}

/**
 * A route function for the callbacks of finished tasks (interface: Webhook). The receiver checks the token of the address,
 * reads the task from the service, runs its handler once, and says what to answer.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function audioWebhooks<Context extends WebContext = WebContext>(
  options: AudioWebhooksOptions,
  ..._uncalled: Uncalled<'audioWebhooks'>[]
): WebHandler<Context> {
  return answering(options, webhookResponder('audioWebhooks', options, requestOf))
}

const needsTask = (value: unknown): string | undefined =>
  typeof value === 'function' ? undefined : 'must be a function of the request that returns the task id'

/** Answers every failure of this package, and lets others go to the framework. */
function answering<Context extends WebContext>(
  { logger }: { readonly logger?: FailureLogger | false },
  respond: Responder<Context, Context>,
): WebHandler<Context> {
  const port = webPort<Context>()
  return async (context) => {
    const call = openCall(port, context, logger)
    try {
      return await respond(call)
    } catch (error) {
      const upload = call.taken()
      // An option that is a function may refuse the request before anything is read of it.
      if (upload !== undefined) discardUpload(upload)
      const response = failureResponse(error, upload)
      if (response === undefined) throw error
      logFailure(error, call.log)
      return response
    }
  }
}

/**
 * The argument of a route function in a framework that speaks fetch: the request itself (Next.js, Bun, Deno, Workers), or
 * an object with the request (SvelteKit, React Router, Astro, Elysia; h3 2 and Nitro 3), or one with Node's request and
 * response (h3 1, as in Nuxt 4).
 */
export type WebContext =
  | Request
  | {
      /** The request. */
      readonly request: Request
    }
  | {
      /** The request. */
      readonly req: Request
    }
  | {
      /** Node's request and response. */
      readonly node: NodeContext
    }

/**
 * The request of a route function's argument.
 * @throws ConfigurationError for anything else
 */
function requestOf(context: WebContext): Request {
  const isObject: boolean = typeof context === 'object' && context !== null
  if (isObject && 'request' in context && isRequest(context.request)) return context.request
  if (isRequest(context)) return context
  // The event of h3 1 has Node's request as `req` too.
  if (isObject && 'req' in context && isRequest(context.req)) return context.req
  if (isObject && 'node' in context) return fromNodeContext(context.node)
  throw new ConfigurationError(
    'The handler got neither a Request nor an object with one: pass the request of your framework, such as `(event) => handler(event.request)`',
  )
}

/** By its methods: some servers have a class of their own. */
function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null) return false
  return typeof Reflect.get(value, 'url') === 'string' && typeof Reflect.get(value, 'arrayBuffer') === 'function'
}

/** Node's response, where the framework has both. */
function responseOf(context: WebContext): ServerResponse | undefined {
  return !isRequest(context) && 'node' in context ? context.node.res : undefined
}

/** The parts of a Web request. */
function webPort<Context extends WebContext>(): ServerPort<Context> {
  return {
    context: (context) => context,
    upload: (context) => fromWebRequest(requestOf(context), responseOf(context)),
    signal: (context) => webDisconnectSignal(requestOf(context)),
    method: (context) => requestOf(context).method,
    path: (context) => new URL(requestOf(context).url).pathname,
    header: (context, name) => requestOf(context).headers.get(name) ?? undefined,
    text: (context) => webText(requestOf(context)),
    taskId: () => '',
  }
}

/** Reads `text` of a JSON body, else of the query. */
export async function webText(request: Request): Promise<string> {
  const query = new URL(request.url).searchParams.getAll('text')
  return requestText({ body: await readJson(request), query: query.length === 1 ? query[0] : undefined })
}

/** Longest JSON body, in bytes. */
const MAX_JSON = 1024 * 1024

/**
 * The body of a JSON request. A body of another type is not read.
 * @returns `undefined` without a JSON body
 * @throws AudioGatewayError 400 `invalid_json`, 413 `content_too_large` over 1 MiB
 * @throws UploadError `body_already_read`
 */
async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) return undefined
  if (request.bodyUsed || request.body?.locked === true) throw alreadyRead()
  const text = await readText(request.body)
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    throw new AudioGatewayError({ status: 400, code: 'invalid_json', message: 'The body is not valid JSON' }, cause)
  }
}

async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let bytes = 0
  let text = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength
    if (bytes > MAX_JSON) {
      await reader.cancel()
      const message = `The body is larger than ${MAX_JSON} bytes`
      throw new AudioGatewayError({ status: 413, code: 'content_too_large', message })
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
