import type { Route } from './routes.ts'

/**
 * How a request ended: its answer was sent to the end, the client closed the connection before that, or a fault (or
 * `close()`) of the upstream did.
 */
export type Ending = 'finished' | 'closedByClient' | 'closedByUpstream'

/** A file that arrived in a multipart body. */
export interface RecordedFile {
  /** Name of the form field. */
  readonly field: string
  readonly filename: string
  /** The part's `Content-Type`. */
  readonly contentType: string
  readonly bytes: number
  /** Of all bytes, in hexadecimal. */
  readonly sha256: string
  /** The bytes, unless there are more than `keepBytes`. */
  readonly content?: Uint8Array
}

/** A multipart body. */
export interface RecordedForm {
  /** Every value of each text field, in order. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly files: readonly RecordedFile[]
}

/** A request as it reached the upstream. It fills while the body arrives. */
export interface RecordedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The endpoint; absent for a path or method that the interface does not have. */
  readonly route?: Route
  /** Names in lower case. `authorization` reads `Bearer [redacted]`, so that no failed assertion prints a key. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether it carried the upstream's key. */
  readonly authorized: boolean
  /** Bytes of the body so far. */
  readonly bytes: number
  /** Whether the whole body has arrived. */
  readonly complete: boolean
  /** The body of a JSON request, once it is complete; absent above `keepBytes`. */
  readonly json?: unknown
  /** A multipart body, once it is complete. */
  readonly form?: RecordedForm
  /** Any other body, once it is complete; absent above `keepBytes`. */
  readonly content?: Uint8Array
  /** Why the body could not be parsed. */
  readonly malformed?: string
  /** How it ended; absent while it is open. */
  readonly ended?: Ending
  /**
   * Resolves when this many bytes of the body have come, by default all of them.
   * @throws Error when the body breaks off before
   */
  received(bytes?: number, options?: WaitOptions): Promise<RecordedRequest>
  /** Closes the connection now, whatever has been read or sent. */
  cut(): void
  /** Resolves with how the request ended, once it has. */
  closed(options?: WaitOptions): Promise<Ending>
}

/** Options of everything that waits. */
export interface WaitOptions {
  /** Ends the wait with the signal's reason. A wait has no deadline of its own: the test's is the limit. */
  readonly signal?: AbortSignal
}
