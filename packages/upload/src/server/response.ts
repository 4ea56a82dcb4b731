import { type AudioBody, type PcmFormat, type SpeechStream, SvcAudioError, type TaskCreation } from '@svc-audio/core'
import { relayAudio } from '@svc-audio/core/adapter'
import { backgroundTimer, mayExceedDrain, type UploadRequest } from '../connection.ts'
import { ClientDisconnectedError, toGatewayError } from '../errors.ts'
import { failureAnswer } from '../failure.ts'

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

/** An event for the client: an object with a `type`. */
export interface SentEvent {
  /** Kind of the event, e.g. `transcript.text.delta`. */
  readonly type: string
}

/** Options of a response with server-sent events. */
export interface EventsResponseOptions {
  /** Milliseconds of silence after which a comment keeps proxies from closing the connection. @default 15000 */
  readonly heartbeat?: number
  /**
   * The `error` event that ends a failed stream, from a code and a message that a caller may see.
   * @default `{ "type": "error", "code", "message" }`
   */
  readonly formatError?: (failure: { readonly code: string; readonly message: string }) => object
}

/** A response with server-sent events. */
export interface EventsResponse {
  /** The response to send at once. */
  readonly response: Response
  /** Resolves when the client has read the last event. Rejects with the failure, or when the client disconnects. */
  readonly ended: Promise<void>
}

/**
 * A response with server-sent events, read at the client's pace. A failure ends it with a safe `error` event.
 * @param abort Stops the call when the client disconnects.
 */
export function eventsResponse(
  events: AsyncIterable<SentEvent>,
  abort: (reason: unknown) => void,
  { heartbeat = 15_000, formatError = (failure) => ({ type: 'error', ...failure }) }: EventsResponseOptions = {},
): EventsResponse {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  const ended = Promise.withResolvers<void>()
  let next: Promise<IteratorResult<SentEvent>> | undefined
  const frame = (event: object): Uint8Array => encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (next === undefined) {
          next = iterator.next()
          // It may fail while the client does not read. The next pull sees the failure.
          next.catch(() => {})
        }
        const result = await within(heartbeat, next)
        if (result === undefined) {
          controller.enqueue(encoder.encode(': keep-alive\n\n'))
          return
        }
        next = undefined
        if (result.done !== true) {
          controller.enqueue(frame(result.value))
          return
        }
        controller.close()
        ended.resolve()
      } catch (error) {
        const { code, message } = failureAnswer(error) ?? UNKNOWN
        controller.enqueue(frame(formatError({ code, message })))
        controller.close()
        ended.reject(error)
      }
    },
    cancel() {
      const reason = new ClientDisconnectedError()
      // The iterator may wait for its next event: only the signal of the call ends that.
      abort(reason)
      ended.reject(reason)
    },
  })
  return { response: new Response(body, { headers: eventHeaders() }), ended: ended.promise }
}

/** What a caller sees of an error that this package does not know. */
const UNKNOWN = { code: 'internal_error', message: 'The server made a mistake' }

/** The value of a promise, or `undefined` after some silence. */
async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | undefined> {
  const silence = Promise.withResolvers<undefined>()
  const timer = backgroundTimer(() => silence.resolve(undefined), milliseconds)
  try {
    return await Promise.race([promise, silence.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A response 202 with a new task, and `Retry-After` if the service named a polling interval. */
export function taskResponse(creation: TaskCreation): Response {
  const { retry_after: seconds } = creation
  const headers: Record<string, string> =
    typeof seconds === 'number' ? { 'retry-after': String(Math.ceil(seconds)) } : {}
  return Response.json(creation, { status: 202, headers })
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
