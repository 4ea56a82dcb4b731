import type { ApiResponse } from './api-response.ts'
import type { UploadProgress } from './transport.ts'

/** Status, headers and request id of a response. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The response's `x-request-id`. */
  readonly requestId: string | undefined
}

/** A result with its response's status and headers. */
export interface WithResponse<Result> extends ResponseInfo {
  /** The result of the call. */
  readonly data: Result
}

/** A result and its response. */
export interface Answer<Result> {
  readonly data: Result
  readonly response: ApiResponse
}

/** A call in flight: a promise of its result. `withResponse()` adds status, headers and request id. */
export class Call<Result> extends Promise<Result> {
  readonly #answer: Promise<Answer<Result>>

  /** `then` returns an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** @param work Starts at once. If it throws, the call rejects. */
  constructor(work: () => Promise<Answer<Result>>) {
    const answer = work()
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject)
    })
    this.#answer = answer
  }

  /** Resolves to the result with status, headers and request id. A body of audio can still be read. */
  async withResponse(): Promise<WithResponse<Result>> {
    // This promise reports the failure, so the other one must count as handled.
    this.catch(() => {})
    const { data, response } = await this.#answer
    const { status, headers, requestId } = response
    return { data, status, headers, requestId }
  }
}

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
