import { SvcAudioError } from './svc-audio-error.ts'

/** The service reported a failure inside a stream, by an `error` event. */
export class StreamFailedError extends SvcAudioError {
  override readonly name = 'StreamFailedError' as const
  /** The service's code, where it gave one. */
  readonly code: string | undefined

  constructor(
    message: string,
    options: { readonly code?: string | undefined; readonly requestId?: string | undefined },
  ) {
    super(message, options)
    this.code = options.code
  }
}
