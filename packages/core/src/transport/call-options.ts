import type { UploadProgress } from './upload-source.ts'

/** Options of one call. */
export interface CallOptions {
  /** Stops the call at any time, also while its body is read. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Deadline of the whole call, in milliseconds. It includes retries and the reading of the body. @default the client's
   */
  readonly timeout?: number
  /** Longest silence between two events of a stream, in milliseconds. @default the client's */
  readonly idleEventsTimeout?: number
  /** Further headers. They cannot replace `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Number of retries of a failed attempt. @default the client's */
  readonly maxRetries?: number
  /**
   * Retries a billable call even if the service may have started it. The call may be done and billed twice.
   * @default false
   */
  readonly retryAmbiguous?: boolean
  /**
   * Sent as `Idempotency-Key` with every attempt. The self-hosted service answers the same key with the same task.
   * Other services may ignore the key, so it does not change which calls are retried.
   */
  readonly idempotencyKey?: string
  /** Called for each piece of the upload that the connection has taken. An exception ends the call. */
  readonly onUploadProgress?: (progress: UploadProgress) => void
}
