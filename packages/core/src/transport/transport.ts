import type { NotReplayableError } from '../errors/request-errors.ts'
/** A request body that can be opened as often as needed. */
export interface RequestBody {
  readonly contentType: string
  /** Exact length in bytes; `undefined` when it cannot be known, which sends it chunked. */
  readonly contentLength: number | undefined
  /**
   * What a callback of the caller threw while the body was read, if one did: the call fails with that, whatever the
   * transport makes of it. Opening the body again forgets it.
   */
  readonly failure?: { readonly error: unknown } | undefined
  /** Why it cannot be opened again, once it was read: a retry is useless then. */
  readonly spent?: (() => NotReplayableError | undefined) | undefined
  /**
   * Opens the bytes from the start. Bytes are read only as fast as they are sent. A chunk holds good until it is sent:
   * its memory may be used again then, so copy a chunk to store it.
   * @throws NotReplayableError, here or while it is read, when it was opened before and cannot be opened again
   */
  open(): AsyncIterable<Uint8Array> | Uint8Array
}

/** A request as a transport sees it: complete, with every header set. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody | undefined
  /** Aborts the request at any time, the response's body included. */
  readonly signal: AbortSignal
}

/** The body of a response: iterate it, or give it up. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** Gives up the rest and frees the connection at once. Does nothing after the end. */
  cancel(): void
  /** Nothing more is expected: lets the connection be used again if the end comes soon, else gives it up. */
  release(): void
}

/** A response whose headers have arrived. */
export interface TransportResponse {
  readonly status: number
  /** Lower-case names; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: ResponseBody
}

/**
 * Carries requests. It does not follow redirects, retry, or interpret status codes. It throws a `TimeoutError` for a
 * deadline of its own; whatever else it throws counts as a failed connection. When the request's signal aborts, it frees
 * the connection and rejects.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Frees every connection. */
  close?(): Promise<void>
}

/** Time as the client sees it, so that tests and other runtimes can bring their own. */
export interface Clock {
  /** Milliseconds since some fixed moment; it never goes back, whatever happens to the date. */
  now(): number
  /** Calls `run` once after `milliseconds`; the returned function takes it back. */
  setTimer(milliseconds: number, run: () => void): () => void
}
