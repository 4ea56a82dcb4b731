import { SvcAudioError } from './svc-audio-error.ts'

/** An option of the client is missing or wrong. The message names the option and its environment variable. */
export class ConfigurationError extends SvcAudioError {
  static override readonly kind = 'ConfigurationError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ConfigurationError' as const
}

/**
 * The arguments break a rule of the interface, or a file cannot be read or written. The client throws it before it sends
 * anything. The exception is an upload that becomes unreadable or changes its size while it is sent.
 */
export class InvalidRequestError extends SvcAudioError {
  static override readonly kind = 'InvalidRequestError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'InvalidRequestError' as const
  /** The code that the service would answer, e.g. `missing_required_field`. */
  readonly code: string
  /** The wrong field, by its name on the wire. */
  readonly param: string

  constructor(code: string, param: string, message: string, options?: { readonly cause?: unknown }) {
    super(`${param}: ${message}`, options)
    this.code = code
    this.param = param
  }
}

/**
 * A retry is due, but the request's body can be read only once. `cause` is the error of the first attempt. Pass the data
 * as a path, a `Blob`, bytes, or a function that opens a new stream for each attempt.
 */
export class NotReplayableError extends SvcAudioError {
  static override readonly kind = 'NotReplayableError'
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'NotReplayableError' as const
}
