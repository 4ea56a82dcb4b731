import type { IncomingMessage, ServerResponse } from 'node:http'
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
