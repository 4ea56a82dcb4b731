import type { NotReplayableError } from '../errors.ts'

/** A request body. Each attempt opens it. */
export interface RequestBody {
  /** The `content-type` header. */
  readonly contentType: string
  /** Exact length in bytes. `undefined` if unknown: the body is then sent chunked. */
  readonly contentLength: number | undefined
  /**
   * The error that a callback of the caller threw while the body was read. The call fails with this error, not with
   * that of the transport. Opening the body again clears it.
   */
  readonly failure?:
    | {
        /** The error of the callback. */
        readonly error: unknown
      }
    | undefined
  /** Returns the error if the body was read and cannot be opened again. The call is then not retried. */
  readonly spent?: (() => NotReplayableError | undefined) | undefined
  /**
   * Opens the bytes from the start. Bytes are read only as fast as they are sent. A chunk is valid until it is sent.
   * Its memory may be reused after that, so copy a chunk to store it.
   * @throws NotReplayableError, here or during reading, if the body was opened before and cannot be opened again
   */
  open(): AsyncIterable<Uint8Array> | Uint8Array
}

/** Progress of an upload. */
export interface UploadProgress {
  /** Bytes that the connection has taken, form fields included. A retry begins at 0. */
  readonly sentBytes: number
  /** Bytes of the whole body. `undefined` if the size of the file is unknown. */
  readonly totalBytes: number | undefined
}

/** A complete request for a transport, with every header set. */
export interface TransportRequest {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, for a POST. */
  readonly body?: RequestBody | undefined
  /** Aborts the request at any time, also while the body of the response is read. */
  readonly signal: AbortSignal
}

/** The body of a response: iterate it, or cancel it. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** Drops the rest and closes the connection at once. Does nothing after the end. */
  cancel(): void
  /** Drops the rest. The connection is reused if the end comes soon, and closed otherwise. */
  release(): void
}

/** A response whose headers have arrived. */
export interface TransportResponse {
  /** The HTTP status. */
  readonly status: number
  /** Lower-case names. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body: iterate it, or cancel it. */
  readonly body: ResponseBody
}

/**
 * Carries requests. It does not follow redirects, retry, or interpret status codes. It throws a `TimeoutError` for its
 * own deadlines. Any other error counts as a failed connection. When the request's signal aborts, it closes the
 * connection and rejects.
 */
export interface Transport {
  /** Sends a request. Resolves with the headers of the response. */
  send(request: TransportRequest): Promise<TransportResponse>
  /** Closes every connection. */
  close?(): Promise<void>
}

/** The client's clock. Tests and other runtimes pass their own. */
export interface Clock {
  /** Milliseconds since a fixed moment. It never goes back, even if the system date changes. */
  now(): number
  /** Calls `run` once after `milliseconds`. Returns a function that cancels the timer. */
  setTimer(milliseconds: number, run: () => void): () => void
}

/** A call, as an observer sees it at the start. */
export interface ObservedCall {
  /** The client method: `speech.create`. */
  readonly operation: string
  /** HTTP method. */
  readonly method: string
  /** Path from `/v1` on, without the query. A download has its whole address. */
  readonly path: string
  /** Address of the service. */
  readonly baseUrl: string
  /** Fields of the body, without a file. They contain the text to speak. */
  readonly fields?: object | undefined
}

/** Receives the events of one call. It never receives the key. */
export interface CallObserver {
  /**
   * The `traceparent` header, which joins the trace of the service to that of the caller (W3C Trace Context).
   * `undefined` sends none.
   */
  readonly traceparent: string | undefined
  /** Headers have arrived, also those of an error or a redirect. */
  answered(response: TransportResponse): void
  /** The call has waited 10 seconds for the semaphore. Called every 10 seconds. */
  queued?(): void
  /** Nobody can read the response any more, so its connection is closed. `ended` follows. */
  dropped?(): void
  /** An attempt failed. The client retries it after `delay` milliseconds. */
  retrying(error: unknown, delay: number): void
  /** The call and its body have ended. Called once. */
  ended(error?: unknown): void
}

/** Called at the start of each call. */
export type Observe = (call: ObservedCall, clock: Clock) => CallObserver
