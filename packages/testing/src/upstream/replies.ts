import type { IncomingMessage, ServerResponse } from 'node:http'
import { integer, object, optional } from '@svc-audio/options'
import type { SpeechStreamEvent } from '@svc-audio/core/interface'
import type { TranscriptionStreamEvent } from '@svc-audio/core'
import type { RecordedRequest } from '../upstream/recorded-request.ts'
import { checkOptions } from '../upstream/checks.ts'
import { InProcessResponse } from '../upstream/in-process-response.ts'
import type { ResponseFunction, HttpReply } from '../upstream/reply.ts'

/** Options of {@link json}, {@link audioBytes} and {@link events}. */
export interface ReplyOptions {
  /** @default 200 */
  readonly status?: number
  /** Further headers, or other values of those that the helper sets. */
  readonly headers?: Readonly<Record<string, string>>
}

const RULES = { status: optional(integer(100)), headers: optional(object) }

function checked(owner: string, options: ReplyOptions): ReplyOptions {
  checkOptions(owner, options, RULES)
  return options
}

/** A JSON document. */
export function json(value: unknown, options: ReplyOptions = {}): HttpReply {
  const { status = 200, headers } = checked('json()', options)
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/**
 * Bytes of audio.
 * @param contentType `audio/wav` by default.
 */
export function audioBytes(bytes: Uint8Array, contentType = 'audio/wav', options: ReplyOptions = {}): HttpReply {
  const { status = 200, headers } = checked('audioBytes()', options)
  return { status, headers: { 'content-type': contentType, ...headers }, body: bytes }
}

/** An event of the interface, or any other value to test a malformed stream. */
export type TestEvent = SpeechStreamEvent | TranscriptionStreamEvent | OtherEvent

/** An event of a type that the interface may lack, with any other fields. */
export interface OtherEvent {
  /** Type of the event. */
  readonly type: string
}

/**
 * Server-sent events: one `data:` line each and no `event:` line (interface: Events).
 * @param list Each event is one frame and one chunk. The stream ends after the last one.
 */
export function events(list: readonly TestEvent[] | AsyncIterable<TestEvent>, options: ReplyOptions = {}): HttpReply {
  const { status = 200, headers } = checked('events()', options)
  return { status, headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers }, body: frames(list) }
}

async function* frames(list: readonly TestEvent[] | AsyncIterable<TestEvent>): AsyncGenerator<Uint8Array, void, void> {
  for await (const event of list) yield Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
}

/**
 * Hands the response to the test's handler, which must end it. The upstream calls the handler after it has read the
 * request's body; inside `early()`, as soon as the head arrives.
 */
export function handle(
  handler: (response: ServerResponse, request: RecordedRequest, message: IncomingMessage) => void | Promise<void>,
): ResponseFunction {
  return async (exchange) => {
    await exchange.received()
    if (exchange.response instanceof InProcessResponse)
      throw new TypeError('handle() needs a server: use createTestUpstream()')
    await handler(exchange.response, exchange.request, exchange.message)
    return { handled: true }
  }
}
