import { SvcAudioError } from './svc-audio-error.ts'

/** A server-sent event passed the size limit of the decoder. */
export class EventTooLargeError extends SvcAudioError {
  override readonly name = 'EventTooLargeError' as const
  /** The limit, in bytes. */
  readonly maxEventBytes: number

  constructor(maxEventBytes: number) {
    super(`An event is larger than ${maxEventBytes} bytes`)
    this.maxEventBytes = maxEventBytes
  }
}
