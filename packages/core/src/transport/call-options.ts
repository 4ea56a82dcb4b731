import type { UploadProgress } from './uploads.ts'

/** What a caller sets for one call. */
export interface CallOptions {
  /** Stops the call at any time, a body that is being read included. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Deadline for the whole call with its retries, reading the body included, in milliseconds. @default the client's */
  readonly timeout?: number
  /** Longest silence between two events of a stream, in milliseconds. @default the client's */
  readonly idleEventsTimeout?: number
  /** Further headers. They cannot replace `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How often a failed try is repeated. @default the client's */
  readonly maxRetries?: number
  /**
   * Retries a billable call even if the service may have started it. The call may be done and billed twice.
   * @default false
   */
  readonly retryAmbiguous?: boolean
  /**
   * Sent as `Idempotency-Key` with every try. The self-hosted service answers the same key with the same task; others
   * may ignore it, so it changes nothing in what is repeated.
   */
  readonly idempotencyKey?: string
  /** Hears of an upload as it is handed to the connection. An exception in it ends the call. */
  readonly onUploadProgress?: (progress: UploadProgress) => void
}
