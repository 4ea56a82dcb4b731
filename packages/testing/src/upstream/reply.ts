import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RecordedRequest } from './recorded-request.ts'

/** What follows the last byte of a body: its proper end, a closed or reset connection, or nothing for ever. */
export type Finish = 'end' | 'close' | 'reset' | 'stall'

/** An answer over HTTP. */
export interface HttpReply {
  /** @default 200 */
  readonly status?: number
  /** A body in one piece gets a true `content-length`, unless one is given here. */
  readonly headers?: Readonly<Record<string, string>>
  /** A body in pieces is sent chunked. */
  readonly body?: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** @default 'end' */
  readonly finish?: Finish
}

/** No answer: the connection is closed (`FIN`) or reset (`RST`). */
export interface NoReply {
  readonly drop: 'close' | 'reset'
}

/** The answer has been, or is being, sent by other means. */
export interface HandledReply {
  readonly handled: true
}

/** What happens to a request. */
export type Reply = HttpReply | NoReply | HandledReply

/** One request on its way to its answer. */
export interface Exchange {
  readonly request: RecordedRequest
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** Aborted once the request has ended in any way: what waits must end with it. */
  readonly signal: AbortSignal
  /** Resolves when the body has been read, at the pace that a fault has set. Rejects when it breaks off. */
  received(): Promise<void>
  /** Reads the body at this pace; without effect once the reading has begun. */
  pace(pace: (bytes: number, signal: AbortSignal) => Promise<void>): void
  /** Sends the answer without waiting for the body. What arrives of it later is still read. */
  answerEarly(): void
  /** What the endpoint answers when nothing is scripted. */
  happy(): Promise<Reply>
}

/** Makes a reply for a request. */
export type AnswerFunction = (exchange: Exchange) => Reply | Promise<Reply>

/**
 * How to answer a request: a reply, or a function that makes one. Unless the answer is `early()`, it is sent when the
 * request's body has been read.
 */
export type Answer = Reply | AnswerFunction

/** The reply that an answer gives. */
export async function resolveAnswer(answer: Answer, exchange: Exchange): Promise<Reply> {
  return typeof answer === 'function' ? answer(exchange) : answer
}

/** The endpoint's happy answer: what a fault spoils when it is given nothing else. */
export const happy: AnswerFunction = (exchange) => exchange.happy()

/** Whether a reply has a head and a body. */
export function isHttp(reply: Reply): reply is HttpReply {
  return !('drop' in reply) && !('handled' in reply)
}
