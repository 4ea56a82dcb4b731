import { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'

/** What is known about a stream that was cut. */
export interface StreamTruncatedErrorOptions extends SvcAudioErrorOptions {
  readonly bytes: number
  readonly expectedBytes?: number | undefined
  readonly events?: number | undefined
}

/** A body ended before it was complete: short of its length, in half a frame, or without its terminal event. */
export class StreamTruncatedError extends SvcAudioError {
  override readonly name = 'StreamTruncatedError' as const
  /** Bytes of the body that did arrive. */
  readonly bytes: number
  /** Bytes that were announced, where they were. */
  readonly expectedBytes: number | undefined
  /** Events that did arrive, for an event stream. */
  readonly events: number | undefined

  constructor(message: string, options: StreamTruncatedErrorOptions) {
    super(message, options)
    this.bytes = options.bytes
    this.expectedBytes = options.expectedBytes
    this.events = options.events
  }
}
