import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TranscriptionStreamEvent } from '@svc-audio/core'
import type { SpeechStreamEvent } from '@svc-audio/core/interface'
import { integer, object, optional } from '#options'
import { checkOptions } from './checks.ts'
import { InProcessResponse } from './in-process-fetch.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** What follows the last byte of a body: its proper end, a closed or reset connection, or nothing. */
export type Finish = 'end' | 'close' | 'reset' | 'stall'

/** A response over HTTP. */
export interface HttpReply {
  /** @default 200 */
  readonly status?: number
  /** A body in one piece gets a true `content-length`, unless a header sets another. */
  readonly headers?: Readonly<Record<string, string>>
  /** A body in pieces is sent chunked. */
  readonly body?: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** @default 'end' */
  readonly finish?: Finish
}

/** No answer: the connection is closed (`FIN`) or reset (`RST`). */
export interface NoReply {
  /** How the connection ends. */
  readonly drop: 'close' | 'reset'
}

/** The response is sent by other means. */
export interface HandledReply {
  /** Tells it from another reply. */
  readonly handled: true
}

/** The outcome of a request. */
export type Reply = HttpReply | NoReply | HandledReply

/** One request and its response. */
export interface Exchange {
  /** The request as recorded so far. */
  readonly request: RecordedRequest
  /** Node's request. */
  readonly message: IncomingMessage
  /** Node's response. */
  readonly response: ServerResponse
  /** Aborted when the request ends in any way. Every wait must end with it. */
  readonly signal: AbortSignal
  /** Resolves when the body has been read, at the fault's pace. Rejects if the body breaks off. */
  received(): Promise<void>
  /** Sets the pace of reading. No effect after reading has begun. */
  pace(pace: (bytes: number, signal: AbortSignal) => Promise<void>): void
  /** Sends the response without waiting for the body. The rest of the body is still read. */
  respondEarly(): void
  /** The endpoint's response without a script. */
  happy(): Promise<Reply>
}

/** Makes a reply for a request. */
export type ResponseFunction = (exchange: Exchange) => Reply | Promise<Reply>

/**
 * A response to a request: a reply, or a function that makes one. It is sent after the request's body has been read,
 * except inside `early()`.
 */
export type ScriptedResponse = Reply | ResponseFunction

/** The reply of a response. */
export async function resolveResponse(response: ScriptedResponse, exchange: Exchange): Promise<Reply> {
  return typeof response === 'function' ? response(exchange) : response
}

/** The endpoint's happy response: the default response of a fault. */
export const happy: ResponseFunction = (exchange) => exchange.happy()

/** Whether a reply has a head and a body. */
export function isHttp(reply: Reply): reply is HttpReply {
  return !('drop' in reply) && !('handled' in reply)
}

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

/** Sends a reply. Resolves when nothing remains to send; a stall leaves the connection open. */
export async function sendReply(exchange: Exchange, reply: Reply, cutHere: () => void): Promise<void> {
  if ('handled' in reply) return
  const { response, signal } = exchange
  if ('drop' in reply) {
    close(response, reply.drop, cutHere)
    return
  }
  response.writeHead(reply.status ?? 200, headersOf(reply))
  response.flushHeaders()
  for await (const chunk of chunksOf(reply)) {
    if (!(await write(response, chunk, signal))) return
  }
  const { finish = 'end' } = reply
  if (finish === 'end') response.end()
  else if (finish !== 'stall') close(response, finish, cutHere)
}

/**
 * Resolves when the system has the bytes. They then arrive even if the connection closes next.
 * @returns Whether the connection is still writable.
 */
function write(response: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || chunk.byteLength === 0) return Promise.resolve(!signal.aborted)
  return new Promise((resolve) => {
    const end = (): void => resolve(false)
    signal.addEventListener('abort', end, { once: true })
    // A write to a closed connection fails before `close` is emitted. Only this error ends an endless body.
    response.write(chunk, (error) => {
      signal.removeEventListener('abort', end)
      resolve(error === undefined || error === null)
    })
  })
}

function close(response: ServerResponse, how: 'close' | 'reset', cutHere: () => void): void {
  cutHere()
  if (how === 'reset') response.socket?.resetAndDestroy()
  else response.destroy()
}

/** Headers, with the length of a body in one piece. */
export function headersOf({ headers = {}, body = '' }: HttpReply): Record<string, string> {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return named
  return { 'content-length': String(Buffer.byteLength(body)), ...named }
}

/** A body as pieces. */
export async function* chunksOf({ body = '' }: HttpReply): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof body === 'string') yield Buffer.from(body)
  else if (body instanceof Uint8Array) yield body
  else yield* body
}
