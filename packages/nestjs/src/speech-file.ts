import { AsyncLocalStorage } from 'node:async_hooks'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common'
import type { AudioBody } from '@svc-audio/core'
import { ClientDisconnectedError } from '@svc-audio/upload'
import { audioResponse, cutResponse, describeFailure } from '@svc-audio/upload/adapter'
import { catchError, map, type Observable, throwError } from 'rxjs'
import { responseOf, setRetryAfter, toException } from './audio-exception.ts'
import { nativeRequest } from './platform.ts'

/** Options of {@link speechFile}. */
export interface SpeechFileOptions {
  /** The `Content-Disposition` header, e.g. `attachment; filename="speech.mp3"`. @default none: a browser plays it */
  readonly disposition?: string
}

/** Audio, or a function that starts the call for it. Sent by `HEAD`, a route does not run the function. */
export type SpeechSource = AudioBody | Promise<AudioBody> | (() => AudioBody | Promise<AudioBody>)

/**
 * Answers a route with audio while the service synthesizes it. The response has the type of the audio, and its length if the
 * service sent it. `speechFile` waits for the first bytes and throws Nest's exception for an earlier failure. A later
 * failure closes the connection, so no client mistakes partial audio for the whole. A disconnect aborts the call to the
 * service. Before the first bytes, only `@DisconnectSignal()` does so.
 *
 * Pass a function that makes the call. With `HEAD`, which Nest routes to `@Get()`, the function does not run, and the
 * answer is 200 without a type. Any other argument is a call that has already started.
 *
 * In an app with `AudioModule` the response also has `cache-control: no-store, no-transform`, `x-accel-buffering: no` and
 * `x-content-type-options: nosniff`. Without it, `HEAD` is not recognized.
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
  if (typeof audio === 'function' && head.getStore() === true) {
    const nothing = new StreamableFile(new Uint8Array())
    unstarted.add(nothing)
    return nothing
  }
  const { body, headers: named } = await started(audio)
  const { 'content-type': type, 'content-length': length, ...rest } = Object.fromEntries(named)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own type and the global one name the same class
  const stream = Readable.fromWeb(body as NodeReadableStream)
  // On Fastify, Nest does not report a failed stream. Without a listener, a failure before Nest reads the stream would end
  // the process.
  stream.on('error', (error) => {
    if (!ClientDisconnectedError.isInstance(error)) logger.error(`The audio is incomplete: ${describeFailure(error)}`)
  })
  const file = new StreamableFile(stream, {
    ...(type === undefined ? {} : { type }),
    ...(length === undefined ? {} : { length: Number(length) }),
    ...(disposition === undefined ? {} : { disposition }),
  })
  headers.set(file, rest)
  // Nest 11 would end the response as if it were complete.
  return file.setErrorHandler((_error, response) => {
    if (response instanceof ServerResponse) cutResponse(response)
    else response.destroy?.()
  })
}

const logger = new Logger('speechFile')

/** Nest destroys the stream of a client that disconnects. */
const { signal: NEVER } = new AbortController()

async function started(audio: SpeechSource): Promise<Response> {
  try {
    return await audioResponse(await (typeof audio === 'function' ? audio() : audio), { signal: NEVER })
  } catch (error) {
    throw toException(error, { logger })
  }
}

/** Whether the current request is `HEAD`. A value of a route does not have the request. */
const head = new AsyncLocalStorage<boolean>()

/** Answers of `HEAD`, without audio. Only the billable call would tell its type. */
const unstarted = new WeakSet<object>()

/** The headers of audio besides its type and length. */
const headers = new WeakMap<object, Readonly<Record<string, string>>>()

/**
 * Adds headers that return values and exceptions cannot carry in Nest: those of audio, and `Retry-After` of this
 * package's exceptions. It lets `speechFile` know `HEAD`. Other values stay as they are. `AudioModule` binds it to the
 * app.
 */
@Injectable()
export class AudioResponseInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle()
    return head
      .run(nativeRequest(context).method === 'HEAD', () => next.handle())
      .pipe(
        map((value: unknown) => {
          if (!(value instanceof StreamableFile)) return value
          setHeaders(context, headers.get(value) ?? {})
          return unstarted.has(value) ? undefined : value
        }),
        catchError((error: unknown) => {
          const response = responseOf(error)
          if (response !== undefined) setRetryAfter(context, response)
          return throwError(() => error)
        }),
      )
  }
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
