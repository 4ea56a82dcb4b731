import { type AudioBody, type PcmFormat, type SpeechStream, SvcAudioError, type TaskCreation } from '@svc-audio/core'
import { relayAudio } from '@svc-audio/core/adapter'
import { mayExceedDrain, type UploadRequest } from '../connection.ts'
import { ClientDisconnectedError, toGatewayError } from '../errors.ts'
import { failureAnswer } from '../failure.ts'

/** Head of a response with audio. */
export interface AudioResponseInit {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** @default 200 */
  readonly status?: number
  /** More headers. */
  readonly headers?: RelayHeaders
}

/**
 * A response with audio, sent while it arrives, at the client's pace. It resolves with the first bytes: an earlier failure
 * still gets an error response. A later failure breaks the body, so a client never mistakes a part for the whole. A
 * canceled body closes the call.
 * @throws AudioGatewayError when the service sent no audio or failed
 * @throws ClientDisconnectedError when the client disconnected
 */
export async function audioResponse(
  audio: AudioBody,
  { signal, status = 200, headers = {} }: AudioResponseInit,
): Promise<Response> {
  return started(signal, async () => {
    const { contentType, contentLength, chunks } = await relayAudio(audio)
    const named = { ...audioHeaders({ contentType, contentLength }), ...headers }
    return new Response(bodyOf(chunks, signal), { status, headers: named })
  })
}

/** A response with the raw PCM of a speech stream. Its format is in `X-Sample-Rate`, `X-Channels` and `X-Bit-Depth`. */
export async function pcmResponse(speech: SpeechStream, signal: AbortSignal): Promise<Response> {
  return started(signal, async () => {
    const chunks = speech[Symbol.asyncIterator]()
    const first = await chunks.next()
    return new Response(bodyOf(chunks, signal, first), { headers: pcmHeaders(speech.format) })
  })
}

async function started(signal: AbortSignal, start: () => Promise<Response>): Promise<Response> {
  try {
    return await start()
  } catch (error) {
    throw failureOf(error, signal)
  }
}

/** The client library's error is more specific than the abort, which happens at every end of a connection. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && !SvcAudioError.isInstance(error) ? signal.reason : toGatewayError(error)
}

function bodyOf(
  chunks: AsyncIterator<Uint8Array, void>,
  signal: AbortSignal,
  first?: IteratorResult<Uint8Array, void>,
): ReadableStream<Uint8Array> {
  let ready = first
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done = false, value } = ready ?? (await chunks.next())
          ready = undefined
          if (done || value === undefined) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(failureOf(error, signal))
        }
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    // Nothing is read ahead of the client.
    { highWaterMark: 0 },
  )
}

/** An event stream as the body of a response. */
interface EventsBody {
  readonly body: ReadableStream<Uint8Array>
  /** Resolves when the client has read the last event. Rejects with the failure, or when the client disconnects. */
  readonly ended: Promise<void>
}

/**
 * Makes the body of a response with server-sent events, read at the client's pace. A failure ends it with a safe `error`
 * event. Silence of 15 seconds is filled with a comment.
 * @param abort Stops the call when the client disconnects.
 */
export function eventsBody(events: AsyncIterable<SentEvent>, abort: (reason: unknown) => void): EventsBody {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  const ended = Promise.withResolvers<void>()
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = (): void => clearInterval(timer)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': keep-alive\n\n'))
      }, HEARTBEAT)
    },
    async pull(controller) {
      try {
        const { done = false, value } = await iterator.next()
        if (done) {
          stop()
          controller.close()
          ended.resolve()
        } else controller.enqueue(encoder.encode(eventFrame(value)))
      } catch (error) {
        stop()
        controller.enqueue(encoder.encode(errorFrame(error)))
        controller.close()
        ended.reject(error)
      }
    },
    cancel() {
      stop()
      const reason = new ClientDisconnectedError()
      // The iterator may wait for its next event: only the signal of the call ends that.
      abort(reason)
      ended.reject(reason)
    },
  })
  return { body, ended: ended.promise }
}

/** Status of nginx for a client that has disconnected. Nobody receives the response. */
const DISCONNECTED = 499

/**
 * The response to a failed upload or a failed call, safe for any caller: `{ "error": { "code", "message" } }`. Its bytes
 * are sent at once, and it ends when the rest of a refused upload is discarded: a server that closed the connection
 * earlier could lose the response.
 * @param upload The refused upload, if its body may still arrive.
 * @returns `undefined` for an error that this package does not know: let the framework answer it
 */
export function failureResponse(error: unknown, upload?: UploadRequest): Response | undefined {
  const response = failureAnswer(error)
  if (response === undefined) return undefined
  const { status, code, message, retryAfterSeconds } = response
  if (status === DISCONNECTED) return new Response(null, { status })
  const text = new TextEncoder().encode(JSON.stringify({ error: { code, message } }))
  const retry: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    // Deno closes the connection after this length, before the rest of the upload is discarded.
    ...('Deno' in globalThis ? {} : { 'content-length': String(text.byteLength) }),
    // A client must not send its next request behind the rest of a body that nobody reads. HTTP/2 forbids the header.
    ...(upload?.httpVersionMajor === 1 && mayExceedDrain(upload) ? { connection: 'close' } : {}),
    ...retry,
  }
  return new Response(upload === undefined ? text : withRest(text, upload), { status, headers })
}

function withRest(text: Uint8Array, upload: UploadRequest): ReadableStream<Uint8Array> {
  let stop: (() => void) | undefined
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text)
      if (upload.destroyed || upload.readableEnded) {
        controller.close()
        return
      }
      const close = (): void => {
        stop?.()
        controller.close()
      }
      stop = () => {
        upload.off('close', close)
        upload.off('end', close)
      }
      upload.once('close', close)
      upload.once('end', close)
    },
    cancel: () => stop?.(),
  })
}

/** A response 202 with a new task, and `Retry-After` if the service named a polling interval. */
export function taskResponse(creation: TaskCreation): Response {
  const { retry_after: seconds } = creation
  const headers: Record<string, string> =
    typeof seconds === 'number' ? { 'retry-after': String(Math.ceil(seconds)) } : {}
  return Response.json(creation, { status: 202, headers })
}

/** Properties of audio known before its first byte. */
export interface RelayedAudioHead {
  /** MIME type. */
  readonly contentType: string
  /** Length in bytes, if the service announced it. */
  readonly contentLength?: number | undefined
}

/** Headers by lower-case name. */
export type RelayHeaders = Readonly<Record<string, string>>

/** A proxy must neither store a stream before forwarding it nor compress audio. */
const UNBUFFERED: RelayHeaders = {
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** Headers of a response with audio from the service. */
export function audioHeaders({ contentType, contentLength }: RelayedAudioHead): RelayHeaders {
  const length = contentLength === undefined ? {} : { 'content-length': String(contentLength) }
  return { 'content-type': contentType, ...length, ...UNBUFFERED }
}

/** Headers of a response with raw PCM: those of the interface (streaming speech, `X-Sample-Rate`). */
export function pcmHeaders({ sampleRate, channels, bitDepth }: PcmFormat): RelayHeaders {
  return {
    ...audioHeaders({ contentType: 'audio/pcm' }),
    'x-sample-rate': String(sampleRate),
    'x-channels': String(channels),
    'x-bit-depth': String(bitDepth),
  }
}

/** Headers of a response with server-sent events. */
export function eventHeaders(): RelayHeaders {
  return { 'content-type': 'text/event-stream; charset=utf-8', ...UNBUFFERED }
}

/** An event for the client: an object with a `type`. */
export interface SentEvent {
  /** Kind of the event, e.g. `transcript.text.delta`. */
  readonly type: string
}

/** Milliseconds of silence before a comment. */
export const HEARTBEAT = 15_000

/** The line of an event. */
export function eventFrame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/** The line of the event that ends a failed stream, safe for any caller. */
export function errorFrame(error: unknown): string {
  return eventFrame(errorEvent(publicFailure(error)))
}

/** The code and the message of a failure that a caller may see. */
export function publicFailure(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = failureAnswer(error) ?? {
    code: 'internal_error',
    message: 'The server made a mistake',
  }
  return { code, message }
}

/** The default event that ends a failed stream. */
export const errorEvent = (failure: { readonly code: string; readonly message: string }): object => ({
  type: 'error',
  ...failure,
})
