import { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'

/** Fields of an {@link ApiError}. */
export interface ApiErrorOptions {
  /** The HTTP status. */
  readonly status: number
  /** The service's own message alone. */
  readonly serviceMessage?: string | undefined
  /** The service's code. */
  readonly code?: string | undefined
  /** The wrong field. */
  readonly param?: string | undefined
  /** The service's class of error. */
  readonly type?: string | undefined
  /** The `x-request-id` of the response, if it has one. */
  readonly requestId?: string | undefined
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number | undefined
}

/** The service answered with an error status. The message contains the service's own message. */
export class ApiError extends SvcAudioError {
  static override readonly kind = 'ApiError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ApiError' as const
  /** The HTTP status. */
  readonly status: number
  /** The service's own message alone, if the response has one. */
  readonly serviceMessage: string | undefined
  /** The service's code, e.g. `invalid_range`, if the response has one. */
  readonly code: string | undefined
  /** The wrong field, if the response names one. */
  readonly param: string | undefined
  /** The service's class of error, if the response has one. */
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

/** The response is not what the interface documents, e.g. JSON that does not parse or a speech format that is not PCM. */
export class ProtocolError extends SvcAudioError {
  static override readonly kind = 'ProtocolError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ProtocolError' as const
}

/** No complete response arrived: the connection failed. `cause` is the transport's own error. */
export class ConnectionError extends SvcAudioError {
  static override readonly kind = 'ConnectionError'
  /** The class name: programs compare it, or call `isInstance`. */
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

/** The phase of a call that exceeded its deadline. `unread`: nobody began to read the response. */
export type TimeoutPhase = 'connect' | 'headers' | 'idle' | 'events' | 'total' | 'unread'

/** A deadline passed. */
export class TimeoutError extends SvcAudioError {
  static override readonly kind = 'TimeoutError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'TimeoutError' as const
  /** What took too long. */
  readonly phase: TimeoutPhase

  constructor(phase: TimeoutPhase, message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.phase = phase
  }
}
