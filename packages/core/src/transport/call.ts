import type { ApiResponse } from './api-response.ts'

/** What is known about an answer beside its result. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The answer's `x-request-id`. */
  readonly requestId: string | undefined
}

/** A result with its answer's status and headers. */
export interface WithResponse<Result> extends ResponseInfo {
  readonly data: Result
}

/** A result and the response it came with. */
export interface Answer<Result> {
  readonly data: Result
  readonly response: ApiResponse
}

/** A call in flight: the promise of its result, or of its result with the answer's status and headers. */
export class Call<Result> extends Promise<Result> {
  readonly #answer: Promise<Answer<Result>>

  /** What `then` makes of it is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** @param work Is started at once; what it throws rejects the call. */
  constructor(work: () => Promise<Answer<Result>>) {
    const answer = work()
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject)
    })
    this.#answer = answer
  }

  /** The result with status, headers and request id. The body of audio can still be read. */
  async withResponse(): Promise<WithResponse<Result>> {
    // This promise reports the failure, so the other one counts as handled.
    this.catch(() => {})
    const { data, response } = await this.#answer
    const { status, headers, requestId } = response
    return { data, status, headers, requestId }
  }
}
