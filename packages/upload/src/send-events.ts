import type { ServerResponse } from 'node:http'
import { failureAnswer } from './failure-answer.ts'
import { eventHeaders } from './relay-headers.ts'

/** An event for the client: an object with a `type`. */
export interface SentEvent {
  /** Kind of the event, e.g. `transcript.text.delta`. */
  readonly type: string
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

/** Milliseconds of silence before a comment. */
export const HEARTBEAT = 15_000

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

/** The line of an event. */
export function eventFrame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/** The line of the event that ends a failed stream, safe for any caller. */
export function errorFrame(error: unknown): string {
  return eventFrame(errorEvent(publicFailure(error)))
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

function publicFailure(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = failureAnswer(error) ?? {
    code: 'internal_error',
    message: 'The server made a mistake',
  }
  return { code, message }
}

const errorEvent = (failure: { readonly code: string; readonly message: string }): object => ({
  type: 'error',
  ...failure,
})
