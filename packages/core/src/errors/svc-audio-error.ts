const MARKER = Symbol.for('svc-audio.error')

/** What every error of this package may carry. */
export interface SvcAudioErrorOptions {
  /** The original error. Not `ErrorOptions`, which a target before ES2022 does not know. */
  readonly cause?: unknown
  readonly requestId?: string | undefined
}

/**
 * Base of the errors of this package. An abort rethrows the signal's own reason; a wrong use of an object is a
 * `TypeError`, and a disk that fails while a result is written throws as the system reports it. The API key is never part
 * of an error, nor is what was sent, unless the service repeats it in a message of its own.
 */
export class SvcAudioError extends Error {
  override readonly name: string = 'SvcAudioError'
  /** The answer's `x-request-id`, where an answer came: quote it when asking for help. */
  requestId: string | undefined

  constructor(message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.requestId = options?.requestId
    Object.defineProperty(this, MARKER, { value: true })
  }

  /**
   * Whether a value is such an error. Unlike `instanceof` it also recognizes one from a second copy of this package, as
   * bundlers and nested installs make them.
   */
  static isInstance(value: unknown): value is SvcAudioError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}
