import type { Clock, TransportResponse } from './transport.ts'

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
