import { AsyncLocalStorage } from 'node:async_hooks'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common'
import { type AudioBody, ConfigurationError, type PureAudioClient, type SpeechStream } from '@svc-audio/core'
import { ClientDisconnectedError } from '@svc-audio/upload'
import {
  audioResponse,
  checkOptions,
  cutResponse,
  describeFailure,
  eventsResponse,
  openCall,
  optionRules,
  pcmResponse,
  type PlayResultHandlerOptions,
  playResultResponder,
} from '@svc-audio/upload/adapter'
import { catchError, map, type Observable, throwError } from 'rxjs'
import { responseOf, setRetryAfter, toException } from './audio-exception.ts'
import { contextPort, nativeRequest, nativeResponse } from './platform.ts'

/** Options of {@link speechFile}. */
export interface SpeechFileOptions {
  /** The `Content-Disposition` header, e.g. `attachment; filename="speech.mp3"`. @default none: a browser plays it */
  readonly disposition?: string
}

/** Speech, or a function that starts the call for it. Sent by `HEAD`, a route does not run the function. */
type Source<Speech> = Speech | Promise<Speech> | (() => Speech | Promise<Speech>)

/** Audio, or a stream of speech, or a function that starts the call for it. Sent by `HEAD`, a route does not run the function. */
export type SpeechSource = Source<AudioBody | SpeechStream>

/** A stream of speech, or a function that starts the call for it. Sent by `HEAD`, a route does not run the function. */
export type SpeechEventsSource = Source<SpeechStream>

/**
 * Answers a route with audio while the service synthesizes it. The response has the type of the audio, and its length if the
 * service sent it. `speechFile` waits for the first bytes and throws Nest's exception for an earlier failure. A later
 * failure closes the connection, so no client mistakes partial audio for the whole. A disconnect aborts the call to the
 * service. Before the first bytes, only `@DisconnectSignal()` does so.
 *
 * A stream of `client.speech.stream()` is sent as raw PCM, with its format in `X-Sample-Rate`, `X-Channels` and
 * `X-Bit-Depth`.
 *
 * Pass a function that makes the call. With `HEAD`, which Nest routes to `@Get()`, the function does not run, and the
 * answer is 200 without a type. Any other argument is a call that has already started.
 *
 * In an app with `AudioModule` the response also has `cache-control: no-store, no-transform`, `x-accel-buffering: no` and
 * `x-content-type-options: nosniff`. Without it, `HEAD` is not recognized, and PCM has no headers of its format.
 *
 * @throws HttpException for every failure of the call, with the original error as `cause`
 *
 * @example
 * return speechFile(() => this.audio.speech.create({ model, input, voice_id }, { signal }))
 */
export async function speechFile(
  audio: SpeechSource,
  { disposition }: SpeechFileOptions = {},
): Promise<StreamableFile> {
  if (typeof audio === 'function' && isHead()) return empty()
  const response = await started(async () => {
    const speech = await opened(audio)
    return 'events' in speech ? pcmResponse(speech, NEVER) : audioResponse(speech, { signal: NEVER })
  })
  return fileOf(response, { disposition })
}

/**
 * Answers a route with the events of a stream of speech while the service synthesizes it, as lines `data: <JSON>`. An early
 * failure throws Nest's exception. A later one ends the response with a safe `error` event. Everything else is as in
 * {@link speechFile}.
 *
 * @throws HttpException for every failure of the call, with the original error as `cause`
 *
 * @example
 * return speechEvents(() => this.audio.speech.stream({ model, input, voice_id }, { signal }))
 */
export async function speechEvents(stream: SpeechEventsSource): Promise<StreamableFile> {
  if (typeof stream === 'function' && isHead()) return empty()
  const response = await started(async () => {
    const speech = await opened(stream)
    const { response: events, ended } = eventsResponse(speech.events(), () => speech.cancel())
    ended.catch(logIncomplete)
    return events
  })
  return fileOf(response)
}

/** Options of {@link playResult}. */
export interface PlayResultOptions extends Omit<PlayResultHandlerOptions<ExecutionContext>, 'client' | 'task'> {
  /** The client. */
  readonly client: PureAudioClient
  /** Id of the task whose audio is served. Check that it belongs to the caller: a key sees all tasks of its account. */
  readonly task: string
}

/**
 * Answers a route with the audio of a finished task, with `Range`, which players on phones need to start and to seek: 206
 * with a part, 416 for a part that the audio does not have. It throws 404 for an unknown task, and 409 with `Retry-After`
 * for one that is not finished. A disconnect aborts the call. It needs `AudioModule` in the app.
 *
 * @throws HttpException for every failure of the call, with the original error as `cause`
 * @throws ConfigurationError naming a wrong option, or in an app without `AudioModule`
 *
 * @example
 * return playResult({ client: this.audio, task: id })
 */
export async function playResult({ task, ...options }: PlayResultOptions): Promise<StreamableFile> {
  checkOptions('playResult', { task }, { task: optionRules.text })
  const respond = playResultResponder('playResult', { ...options, task: () => task }, contextPort)
  const context = current.getStore()
  if (context === undefined) {
    throw new ConfigurationError(
      'playResult() reads the `Range` of the request: import AudioModule.forRoot() into the app',
    )
  }
  return fileOf(await started(() => respond(openCall(contextPort, context, logger))))
}

const logger = new Logger('speechFile')

/** Nest destroys the stream of a client that disconnects. */
const { signal: NEVER } = new AbortController()

async function opened<Speech>(source: Source<Speech>): Promise<Speech> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no speech is a function
  return typeof source === 'function' ? (source as () => Speech | Promise<Speech>)() : source
}

async function started(start: () => Promise<Response>): Promise<Response> {
  try {
    return await start()
  } catch (error) {
    throw toException(error, { logger })
  }
}

/** A response as a file, which Nest sends on every platform. */
function fileOf(
  response: Response,
  { disposition }: { readonly disposition?: string | undefined } = {},
): StreamableFile {
  const { body, headers: named, status } = response
  const { 'content-type': type, 'content-length': length, ...rest } = Object.fromEntries(named)
  // A response to `HEAD` has the length of the audio. Fastify keeps the length of a stream only.
  const stream = body === null ? Readable.from([], { objectMode: false }) : Readable.fromWeb(body)
  // On Fastify, Nest does not report a failed stream. Without a listener, a failure before Nest reads the stream would end
  // the process.
  stream.on('error', logIncomplete)
  const file = new StreamableFile(stream, {
    ...(type === undefined ? {} : { type }),
    ...(length === undefined ? {} : { length: Number(length) }),
    ...(disposition === undefined ? {} : { disposition }),
  })
  heads.set(file, { headers: rest, status })
  // Nest 11 would end the response as if it were complete.
  return file.setErrorHandler((_error, native) => {
    if (native instanceof ServerResponse) cutResponse(native)
    else native.destroy?.()
  })
}

function logIncomplete(error: unknown): void {
  if (!ClientDisconnectedError.isInstance(error)) logger.error(`The audio is incomplete: ${describeFailure(error)}`)
}

/** The current request. A value of a route does not have it. */
const current = new AsyncLocalStorage<ExecutionContext>()

function isHead(): boolean {
  const context = current.getStore()
  return context !== undefined && nativeRequest(context).method === 'HEAD'
}

/** Answers of `HEAD`, without audio. Only a billable call would tell its type. */
const unstarted = new WeakSet<object>()

function empty(): StreamableFile {
  const nothing = new StreamableFile(new Uint8Array())
  unstarted.add(nothing)
  return nothing
}

/** Status of audio, and its headers besides its type and length. */
const heads = new WeakMap<object, { readonly headers: Readonly<Record<string, string>>; readonly status: number }>()

/**
 * Adds headers that return values and exceptions cannot carry in Nest: those of audio, and `Retry-After` of this
 * package's exceptions. It lets `speechFile` know `HEAD`. Other values stay as they are. `AudioModule` binds it to the
 * app.
 */
@Injectable()
export class AudioResponseInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle()
    return current
      .run(context, () => next.handle())
      .pipe(
        map((value: unknown) => {
          if (!(value instanceof StreamableFile)) return value
          if (unstarted.has(value)) return undefined
          const head = heads.get(value)
          if (head === undefined) return value
          setHeaders(context, head.headers)
          // Nest sets the status of the route when it replies. The stream flows after that, and before the head is sent.
          value.getStream().once('resume', () => startResponse(nativeResponse(context), head.status))
          return value
        }),
        catchError((error: unknown) => {
          const response = responseOf(error)
          if (response !== undefined) setRetryAfter(context, response)
          return throwError(() => error)
        }),
      )
  }
}

/** Sets the status, and sends the head of an event stream: nobody knows when the first event comes. */
function startResponse(response: ServerResponse, status: number): void {
  if (response.headersSent) return
  if (status !== 200) response.statusCode = status
  if (String(response.getHeader('content-type')).startsWith('text/event-stream')) response.flushHeaders()
}

/** Sets headers, except those that the route has set. */
function setHeaders(context: ExecutionContext, named: Readonly<Record<string, string>>): void {
  // Both platforms have these methods. On Fastify they belong to the reply, not to Node's response.
  const response = context
    .switchToHttp()
    .getResponse<{ header(name: string, value: string): unknown; getHeader(name: string): unknown }>()
  for (const [name, value] of Object.entries(named)) {
    if (response.getHeader(name) === undefined) response.header(name, value)
  }
}
