const MARKER = Symbol.for('svc-audio.error')

/**
 * Base of every error this package throws, except that an abort rethrows the signal's own reason. Neither the API key
 * nor the text that was sent is ever part of an error.
 */
export class SvcAudioError extends Error {
  override readonly name: string = 'SvcAudioError'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
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
