import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type AudioBody, type SpeechStream, SvcAudioError } from '@svc-audio/core'
import { relayAudio } from '@svc-audio/core/adapter'
import { toGatewayError } from '../errors.ts'
import {
  audioHeaders,
  errorEvent,
  eventFrame,
  eventHeaders,
  HEARTBEAT,
  pcmHeaders,
  publicFailure,
  type RelayHeaders,
  type SentEvent,
} from './response.ts'

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
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: RelayHeaders } = {},
): Promise<void> {
  await relay(response, signal, async () => {
    const { contentType, contentLength, chunks } = await relayAudio(audio)
    response.statusCode = status
    setHeaders(response, { ...audioHeaders({ contentType, contentLength }), ...headers })
    return chunks
  })
}

/**
 * Answers with the raw PCM of a speech stream while it is synthesized. Its format is in `X-Sample-Rate`, `X-Channels` and
 * `X-Bit-Depth`. The connection closes without a proper end if the speech is incomplete.
 *
 * @throws what {@link sendAudio} throws
 */
export async function sendPcm(response: ServerResponse, speech: SpeechStream, signal: AbortSignal): Promise<void> {
  await relay(response, signal, async () => {
    setHeaders(response, pcmHeaders(speech.format))
    return speech
  })
}

async function relay(
  response: ServerResponse,
  signal: AbortSignal,
  start: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<void> {
  try {
    await pipeline(await start(), response)
  } catch (error) {
    // The signal aborts at every end of the connection, also when a failed source closes it. The client library's error
    // is more specific.
    throw signal.aborted && !SvcAudioError.isInstance(error) ? signal.reason : toGatewayError(error)
  }
}

function setHeaders(response: ServerResponse, headers: RelayHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    const isOurs = name !== 'cache-control' || !response.hasHeader(name)
    if (isOurs) response.setHeader(name, value)
  }
}

/** Options of {@link sendEvents}. */
export interface SendEventsOptions {
  /** Aborts when the client disconnects: `disconnectSignal(response)`. */
  readonly signal: AbortSignal
  /** Milliseconds of silence after which a comment keeps proxies from closing the connection. @default 15000 */
  readonly heartbeat?: number
  /**
   * The `error` event that ends a failed stream, from a code and a message that a caller may see.
   * @default `{ "type": "error", "code", "message" }`
   */
  readonly formatError?: (failure: { readonly code: string; readonly message: string }) => object
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
  { signal, heartbeat = HEARTBEAT, formatError = errorEvent }: SendEventsOptions,
): Promise<void> {
  for (const [name, value] of Object.entries(eventHeaders())) response.setHeader(name, value)
  response.flushHeaders()
  const timer = setInterval(() => write(response, ': keep-alive\n\n'), heartbeat)
  try {
    for await (const event of events) {
      signal.throwIfAborted()
      timer.refresh()
      if (!write(response, eventFrame(event))) await drained(response, signal)
    }
    response.end()
  } catch (error) {
    if (!signal.aborted) response.end(eventFrame(formatError(publicFailure(error))))
    throw signal.aborted ? signal.reason : error
  } finally {
    clearInterval(timer)
  }
}

/** Compression middleware adds `flush`, and holds events back without a call of it. */
function write(response: ServerResponse & { readonly flush?: unknown }, text: string): boolean {
  const hasRoom = response.write(text)
  if (typeof response.flush === 'function') response.flush()
  return hasRoom
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      response.off('drain', settle)
      signal.removeEventListener('abort', settle)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    response.once('drain', settle)
    signal.addEventListener('abort', settle, { once: true })
    if (signal.aborted) settle()
  })
}
