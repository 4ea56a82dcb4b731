import type { ApiResponse } from './api-response.ts'

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
