import type { SentBytes } from '../lib/fetch-with-progress.ts'

/** Characters of an answer that the inspector holds. */
export const MAX_TEXT = 20_000

/** An event of a stream, for the inspector. */
export interface ExchangeEvent {
  /** Milliseconds since the request. */
  readonly atMs: number
  readonly type: string
  /** The event's JSON. A long one is shortened. */
  readonly data: string
  readonly bytes: number
}

/** A request and its answer, as the page saw them. Times are in milliseconds since the request. */
export interface Exchange {
  readonly id: number
  readonly method: string
  /** Path and query, from `/v1` on. */
  readonly path: string
  /** Clock time of the request. */
  readonly began: Date
  readonly requestHeaders: Readonly<Record<string, string>>
  /** JSON or a description of a form. */
  readonly requestBody: string | undefined
  /** Of an upload. Absent for other requests. */
  readonly upload?: SentBytes
  readonly state: 'open' | 'done' | 'failed' | 'aborted'
  readonly status: number | undefined
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly headersMs: number | undefined
  readonly firstByteMs: number | undefined
  readonly endMs: number | undefined
  readonly bytes: number
  /** The first events. */
  readonly events: readonly ExchangeEvent[]
  /** Number of all events. */
  readonly eventCount: number
  /** Start of a text answer. */
  readonly responseBody: string
  /** Why there is no complete answer. */
  readonly error: string | undefined
}

/** The fields of an exchange before anything of its answer is here. */
export const UNANSWERED: Omit<Exchange, 'id' | 'method' | 'path' | 'began' | 'requestHeaders' | 'requestBody'> = {
  state: 'open',
  status: undefined,
  responseHeaders: {},
  headersMs: undefined,
  firstByteMs: undefined,
  endMs: undefined,
  bytes: 0,
  events: [],
  eventCount: 0,
  responseBody: '',
  error: undefined,
}
