import { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'

/** The service reported a failure with an `error` event of a stream. */
export class StreamFailedError extends SvcAudioError {
  static override readonly kind = 'StreamFailedError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'StreamFailedError' as const
  /** The service's code, if the event has one. */
  readonly code: string | undefined

  constructor(
    message: string,
    options: { readonly code?: string | undefined; readonly requestId?: string | undefined },
  ) {
    super(message, options)
    this.code = options.code
  }
}

/** Fields of a {@link StreamTruncatedError}. */
export interface StreamTruncatedErrorOptions extends SvcAudioErrorOptions {
  /** Received bytes of the body. */
  readonly bytes: number
  /** Announced bytes of the body, if the response announced them. */
  readonly expectedBytes?: number | undefined
  /** Received events, for an event stream. */
  readonly events?: number | undefined
}

/** A body ended early: before its announced length, inside a frame, or without its terminal event. */
export class StreamTruncatedError extends SvcAudioError {
  static override readonly kind = 'StreamTruncatedError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'StreamTruncatedError' as const
  /** Received bytes of the body. */
  readonly bytes: number
  /** Announced bytes of the body, if the response announced them. */
  readonly expectedBytes: number | undefined
  /** Received events, for an event stream. */
  readonly events: number | undefined

  constructor(message: string, options: StreamTruncatedErrorOptions) {
    super(message, options)
    this.bytes = options.bytes
    this.expectedBytes = options.expectedBytes
    this.events = options.events
  }
}

/** A server-sent event exceeds the size limit of the decoder. */
export class EventTooLargeError extends SvcAudioError {
  static override readonly kind = 'EventTooLargeError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'EventTooLargeError' as const
  /** The limit, in bytes. */
  readonly maxEventBytes: number

  constructor(maxEventBytes: number) {
    super(`An event is larger than ${maxEventBytes} bytes`)
    this.maxEventBytes = maxEventBytes
  }
}
