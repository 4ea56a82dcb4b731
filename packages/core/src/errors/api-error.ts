import { SvcAudioError } from './svc-audio-error.ts'

/** What an {@link ApiError} is made of. */
export interface ApiErrorOptions {
  readonly status: number
  readonly code?: string | undefined
  readonly param?: string | undefined
  readonly type?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
}

/** The service answered with an error status. The message is the service's own. */
export class ApiError extends SvcAudioError {
  override readonly name = 'ApiError' as const
  /** The HTTP status. */
  readonly status: number
  /** The service's code, e.g. `invalid_range`, where it gave one. */
  readonly code: string | undefined
  /** The field at fault, where the service named it. */
  readonly param: string | undefined
  /** The service's class of error, where it gave one. */
  readonly type: string | undefined
  /** Seconds to wait before a retry, from `Retry-After`. */
  readonly retryAfter: number | undefined
  /**
   * Whether the same request may succeed later: 408, 409, 429 and 5xx, but not `idempotency_conflict`, with which the
   * self-hosted service says that the key belongs to another request.
   */
  readonly retryable: boolean

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options)
    this.status = options.status
    this.code = options.code
    this.param = options.param
    this.type = options.type
    this.retryAfter = options.retryAfter
    this.retryable =
      options.code !== 'idempotency_conflict' && ([408, 409, 429].includes(options.status) || options.status >= 500)
  }
}
