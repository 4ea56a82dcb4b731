import type { ServerResponse } from 'node:http'
import type { AudioBody, SpeechStream } from '@svc-audio/core'
import { cutResponse } from '../connection.ts'
import { AudioGatewayError, toGatewayError } from '../errors.ts'
import {
  audioResponse,
  eventsResponse,
  type EventsResponseOptions,
  pcmResponse,
  type RelayHeaders,
  type SentEvent,
} from './response.ts'

/**
 * Sends a Web response as Node's, at the client's pace. A `cache-control` that the application has set stays. If the body
 * breaks, the connection closes without a proper end.
 * @param response Node's response: `res` in Express, `reply.raw` in Fastify.
 * @param signal Aborts when the client disconnects: `disconnectSignal(response)`.
 * @throws AudioGatewayError when the service failed
 * @throws ClientDisconnectedError when the client disconnected
 */
export async function sendResponse(response: ServerResponse, answer: Response, signal: AbortSignal): Promise<void> {
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) {
    if (name !== 'cache-control' || !response.hasHeader(name)) response.setHeader(name, value)
  }
  if (answer.body === null) {
    response.end()
    return
  }
  // Nobody knows when the first event comes.
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) response.flushHeaders()
  const reader = answer.body.getReader()
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      await write(response, value, signal)
    }
    signal.throwIfAborted()
    await settled(response, 'finish', signal, () => response.end())
  } catch (error) {
    stop()
    cutResponse(response)
    // The signal aborts at every end of the connection. A failure of the service is more specific.
    throw signal.aborted && !AudioGatewayError.isInstance(error) ? signal.reason : toGatewayError(error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Writes bytes, and waits for room. Without a connection, as in an adapter for functions, `drain` never comes, but a write
 * has a callback. Compression middleware may drop the callback, but emits `drain`. It also adds `flush`, and holds events
 * back without a call of it.
 */
function write(
  response: ServerResponse & { readonly flush?: unknown },
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  return settled(response, 'drain', signal, (settle) => {
    if (response.write(bytes, settle)) settle()
    if (typeof response.flush === 'function') response.flush()
  })
}

/**
 * Starts work, and waits for an event of the response or for the work's call of `settle`.
 * @throws the reason of the signal when that aborts first
 */
function settled(
  response: ServerResponse,
  event: 'drain' | 'finish',
  signal: AbortSignal,
  start: (settle: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      response.off(event, settle)
      signal.removeEventListener('abort', settle)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    response.once(event, settle)
    signal.addEventListener('abort', settle, { once: true })
    if (signal.aborted) settle()
    else start(settle)
  })
}

/**
 * Answers with audio while it arrives, at the client's pace. The headers are sent with the first bytes: an earlier
 * failure still gets an error response. A later failure closes the connection, so a client never mistakes a part for the
 * whole. Headers already set on the response, such as `cache-control`, stay.
 * @param response Node's response: `res` in Express, `reply.raw` in Fastify.
 * @param signal Aborts when the client disconnects: `disconnectSignal(response)`.
 * @param extra More headers, and the status if it is not 200.
 * @throws AudioGatewayError when the service sent no audio or failed
 * @throws ClientDisconnectedError when the client disconnected
 */
export async function sendAudio(
  response: ServerResponse,
  audio: AudioBody,
  signal: AbortSignal,
  extra: { readonly status?: number; readonly headers?: RelayHeaders } = {},
): Promise<void> {
  await sendResponse(response, await audioResponse(audio, { signal, ...extra }), signal)
}

/**
 * Answers with the raw PCM of a speech stream while it is synthesized. Its format is in `X-Sample-Rate`, `X-Channels` and
 * `X-Bit-Depth`. The connection closes without a proper end if the speech is incomplete.
 *
 * @throws what {@link sendAudio} throws
 */
export async function sendPcm(response: ServerResponse, speech: SpeechStream, signal: AbortSignal): Promise<void> {
  await sendResponse(response, await pcmResponse(speech, signal), signal)
}

/** Options of {@link sendEvents}. */
export interface SendEventsOptions extends EventsResponseOptions {
  /** Aborts when the client disconnects: `disconnectSignal(response)`. */
  readonly signal: AbortSignal
}

/**
 * Answers with server-sent events while they arrive, as lines `data: <JSON>`. The headers are sent at once. A later
 * failure ends the response with a safe `error` event, and is thrown.
 * @param response Node's response: `res` in Express, `reply.raw` in Fastify.
 * @throws The error of reading the events; the signal's reason when the client disconnected
 */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<SentEvent>,
  { signal, ...options }: SendEventsOptions,
): Promise<void> {
  const { response: answer, ended } = eventsResponse(events, () => {}, options)
  ended.catch(() => {})
  await sendResponse(response, answer, signal)
  await ended
}
