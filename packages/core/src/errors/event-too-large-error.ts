import { SvcAudioError } from './svc-audio-error.ts'

/** A server-sent event passed the size limit of the decoder. */
export class EventTooLargeError extends SvcAudioError {
  override readonly name = 'EventTooLargeError' as const
  /** The limit, in bytes. */
  readonly maxEventBytes: number

  constructor(maxEventBytes: number) {
    super(`A server-sent event is larger than the limit of ${maxEventBytes} bytes`)
    this.maxEventBytes = maxEventBytes
  }
}
