import { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'

/** Fields of an {@link ApiError}. */
export interface ApiErrorOptions {
  readonly status: number
  readonly serviceMessage?: string | undefined
  readonly code?: string | undefined
  readonly param?: string | undefined
  readonly type?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
}

/** The service answered with an error status. The message contains the service's own message. */
export class ApiError extends SvcAudioError {
  static override readonly kind = 'ApiError'
  override readonly name = 'ApiError' as const
  /** The HTTP status. */
  readonly status: number
  /** The service's own message alone, if the answer has one. */
  readonly serviceMessage: string | undefined
  /** The service's code, e.g. `invalid_range`, if the answer has one. */
  readonly code: string | undefined
  /** The wrong field, if the answer names one. */
  readonly param: string | undefined
  /** The service's class of error, if the answer has one. */
  readonly type: string | undefined
  /** Seconds to wait before a retry, from `Retry-After`. */
  readonly retryAfter: number | undefined
  /**
   * Whether the same request may succeed later: 408, 409, 429 and 5xx. `idempotency_conflict` is the exception: the
   * self-hosted service answers it if the idempotency key belongs to another request.
   */
  readonly retryable: boolean

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options)
    this.status = options.status
    this.serviceMessage = options.serviceMessage
    this.code = options.code
    this.param = options.param
    this.type = options.type
    this.retryAfter = options.retryAfter
    this.retryable =
      options.code !== 'idempotency_conflict' && ([408, 409, 429].includes(options.status) || options.status >= 500)
  }
}

/** The answer is not what the interface documents, e.g. JSON that does not parse or a speech format that is not PCM. */
export class ProtocolError extends SvcAudioError {
  static override readonly kind = 'ProtocolError'
  override readonly name = 'ProtocolError' as const
}

/** No complete answer arrived: the connection failed. `cause` is the transport's own error. */
export class ConnectionError extends SvcAudioError {
  static override readonly kind = 'ConnectionError'
  override readonly name = 'ConnectionError' as const
  /**
   * Whether the service may have received the request. `false` is certain: there was no connection, so a retry cannot
   * repeat any work.
   */
  readonly maybeSent: boolean

  constructor(message: string, options: SvcAudioErrorOptions & { readonly maybeSent?: boolean } = {}) {
    super(message, options)
    this.maybeSent = options.maybeSent ?? true
  }
}

/** The phase of a call that exceeded its deadline. `unread`: nobody began to read the answer. */
export type TimeoutPhase = 'connect' | 'headers' | 'idle' | 'events' | 'total' | 'unread'

/** A deadline passed. */
export class TimeoutError extends SvcAudioError {
  static override readonly kind = 'TimeoutError'
  override readonly name = 'TimeoutError' as const
  readonly phase: TimeoutPhase

  constructor(phase: TimeoutPhase, message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.phase = phase
  }
}
