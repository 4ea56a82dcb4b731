import type { ServerResponse } from 'node:http'
import {
  AudioGatewayError,
  discardUnread,
  discardUpload,
  failureAnswer,
  type FailureLogger,
  UploadError,
  type UploadValues,
} from '@svc-audio/upload'
import {
  type AudioHandlerOptions,
  audioResponder,
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
  type WebhookHandlerOptions,
  webhookRequest,
  webhookResponder,
} from '@svc-audio/upload/adapter'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'

/** A route function of Fastify. Failures are thrown, safe to show: Fastify's error handler answers them. */
export type FastifyHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Options of {@link transcribeUpload}. Those that may be functions get the request; `answer` returns what Fastify sends. */
export type TranscribeUploadOptions<Values = UploadValues, Model extends string = string> = TranscribeHandlerOptions<
  FastifyRequest,
  Values,
  unknown,
  Model
>
/** Options of {@link forwardUpload}. */
export type ForwardUploadOptions<Result, Values = UploadValues> = UploadHandlerOptions<
  Result,
  FastifyRequest,
  Values,
  unknown
>
/** Options of {@link speak}. */
export type SpeakOptions<Format extends string = string> = SpeakHandlerOptions<FastifyRequest, Format>
/** Options of {@link forwardAudio}. */
export type ForwardAudioOptions = AudioHandlerOptions<FastifyRequest>
/** Options of {@link playResult}. Without `task`, the id is the route's parameter `id`. */
export type PlayResultOptions = PlayResultHandlerOptions<FastifyRequest>
/** Options of {@link audioWebhooks}. */
export type AudioWebhooksOptions = WebhookHandlerOptions

/**
 * A handler that transcribes the one file of a multipart form. The file streams to the service while it arrives. When
 * the client disconnects, the call is aborted. Register {@link audio} first.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client }))
 */
export function transcribeUpload<Values = UploadValues, Model extends string = string>(
  options: TranscribeUploadOptions<Values, Model>,
  ..._uncalled: Uncalled<'transcribeUpload'>[]
): FastifyHandler {
  return handler(options, transcribeResponder('transcribeUpload', options))
}

/**
 * A handler that streams the one file of a multipart form into any call of the client: a stored file, a voice, a task.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function forwardUpload<Result, Values = UploadValues>(
  options: ForwardUploadOptions<Result, Values>,
  ..._uncalled: Uncalled<'forwardUpload'>[]
): FastifyHandler {
  return handler(options, uploadResponder('forwardUpload', options))
}

/**
 * A handler that answers with spoken text while the service synthesizes it. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function speak<Format extends string = string>(
  options: SpeakOptions<Format>,
  ..._uncalled: Uncalled<'speak'>[]
): FastifyHandler {
  return handler(options, speakResponder('speak', options, fastifyPort))
}

/**
 * A handler that answers with the audio of any call, for example a dialogue. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function forwardAudio(options: ForwardAudioOptions, ..._uncalled: Uncalled<'forwardAudio'>[]): FastifyHandler {
  return handler(options, audioResponder('forwardAudio', options, fastifyPort))
}

/**
 * A handler that serves the audio of a finished task, with `Range`.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function playResult(options: PlayResultOptions, ..._uncalled: Uncalled<'playResult'>[]): FastifyHandler {
  return handler(options, playResultResponder('playResult', options, fastifyPort))
}

/**
 * A handler for the callbacks of finished tasks (interface: Webhook). A receiver with a `signingSecret` needs the bytes
 * of the body: add a parser with `parseAs: 'buffer'` to the scope of the route.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function audioWebhooks(
  options: AudioWebhooksOptions,
  ..._uncalled: Uncalled<'audioWebhooks'>[]
): FastifyHandler {
  const respond = webhookResponder<FastifyExchange, FastifyRequest>('audioWebhooks', options, ({ request }) =>
    webhookRequest(request, request.body),
  )
  return handler(options, respond)
}

function handler(
  { logger }: { readonly logger?: FailureLogger | false },
  respond: Responder<FastifyExchange, FastifyRequest, unknown>,
): FastifyHandler {
  return async (request, reply) => {
    const call = openCall(fastifyPort, { request, reply }, logger)
    try {
      return await sendResult(reply, await respond(call))
    } catch (error) {
      // An option that is a function may refuse the request before anything is read of it.
      discardUpload(request.raw)
      throw safe(error)
    }
  }
}

/** Fastify sends a `Response`, but not one without a body. */
function sendResult(reply: FastifyReply, result: unknown): FastifyReply {
  if (!(result instanceof Response) || result.body !== null) return reply.send(result)
  return reply.code(result.status).headers(Object.fromEntries(result.headers)).send()
}

/** Fastify shows the message of an error with any status. */
function safe(error: unknown): unknown {
  if (!UploadError.isInstance(error) || error.expose) return error
  const response = failureAnswer(error)
  return response === undefined ? error : new AudioGatewayError(response, error)
}

/** The arguments of a route function. */
interface FastifyExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** The parts of a Fastify request. */
const fastifyPort: ServerPort<FastifyExchange, FastifyRequest> = {
  context: ({ request }) => request,
  upload: ({ request }) => request.raw,
  signal: ({ reply }) => handlerSignal(reply.raw),
  method: ({ request }) => request.method,
  path: ({ request }) => request.url.replace(/\?.*/s, ''),
  header: ({ request }, name) => [request.headers[name]].flat()[0],
  text: ({ request: { body, query } }) => requestText({ body, query: property(query, 'text') }),
  taskId: ({ request: { params } }) => {
    const id = property(params, 'id')
    return typeof id === 'string' ? id : ''
  },
  logger: ({ request }) => ({ error: (line) => request.log.error(line) }),
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/**
 * Lets refusals of other hooks arrive, such as those of a login. A hook in front of the plugin's own may end a request, so
 * the plugin watches the server, and the responses of servers that Fastify adds for further addresses.
 */
function discardUnreadOf(app: FastifyInstance): void {
  app.server.prependListener('request', (_request, response: ServerResponse) => discardUnread(response))
  app.addHook('onSend', async (_request, reply) => discardUnread(reply.raw))
}

const MULTIPART = 'multipart/form-data'

const accept: FastifyPluginAsync = async (app) => {
  discardUnreadOf(app)
  if (app.hasContentTypeParser(MULTIPART)) return
  app.addContentTypeParser(MULTIPART, (_request, _payload, done) => done(null))
}

/**
 * Plugin that passes multipart bodies on unread, for the handlers of this package. Without it, Fastify answers 415. An
 * existing parser, such as that of `@fastify/multipart`, stays: register that plugin first. When a response ends before its
 * body was read, the plugin discards the rest, so that refusals of other hooks and plugins arrive also behind a proxy.
 *
 * @example
 * await app.register(audio)
 */
export const audio: FastifyPluginAsync = plugin(accept, { name: '@svc-audio/fastify', fastify: '5.x' })
