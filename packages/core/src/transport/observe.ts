import type { Clock, TransportResponse } from './transport.ts'

/** What is told about a call from its start. */
export interface ObservedCall {
  readonly method: string
  /** From `/v1` on, without the query; a whole address for a download. */
  readonly path: string
  /** Address of the service. */
  readonly baseUrl: string
  /** The body's fields, a file left out, where there are any. They hold the text that is sent. */
  readonly fields?: object | undefined
}

/** Receives the events of one call. It never receives the key. */
export interface CallObserver {
  /** A header that joins the service's own trace to the caller's (W3C Trace Context); `undefined` for none. */
  readonly traceparent: string | undefined
  /** Headers have come, also those of an error or a redirect. */
  answered(response: TransportResponse): void
  /** The call has waited ten seconds for the semaphore; called again every ten seconds. */
  queued?(): void
  /** A try failed and is repeated after so many milliseconds. */
  retrying(error: unknown, delay: number): void
  /** The call is over, its body included. Called once. */
  ended(error?: unknown): void
}

/** Called at the start of each call. */
export type Observe = (call: ObservedCall, clock: Clock) => CallObserver
