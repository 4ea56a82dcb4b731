const MARKER = Symbol.for('svc-audio.error')

/** Options of every error of this package. */
export interface SvcAudioErrorOptions {
  /** The original error. Not `ErrorOptions`, which a target before ES2022 does not know. */
  readonly cause?: unknown
  /** The `x-request-id` of the response, if it has one. */
  readonly requestId?: string | undefined
}

/** A class of errors, as `isInstance` sees it. */
interface ErrorClass<Kind extends SvcAudioError> {
  readonly kind: string | undefined
  readonly prototype: Kind
}

/**
 * Base of the errors of this package. Other errors stay what they are: an abort throws the signal's reason, misuse of an
 * object throws `TypeError`, and a failing disk throws the system's error. An error never contains the API key. It
 * contains sent content only if the service repeats it in its message.
 */
export class SvcAudioError extends Error {
  /** The `name` of the class's errors. Bundlers may rename the class itself. */
  static readonly kind: string | undefined = undefined
  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name: string = 'SvcAudioError'
  /** The response's `x-request-id`, if a response arrived. Quote it in a support request. */
  requestId: string | undefined

  constructor(message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.requestId = options?.requestId
    Object.defineProperty(this, MARKER, { value: true })
  }

  /**
   * Whether a value is an error of this class: `SvcAudioError.isInstance` accepts every error of this package,
   * `ApiError.isInstance` only an `ApiError`. Unlike `instanceof`, it recognizes errors of a second copy of this package.
   * Bundlers, nested installs and CommonJS beside ESM create such copies.
   */
  static isInstance<Kind extends SvcAudioError>(this: ErrorClass<Kind>, value: unknown): value is Kind {
    if (typeof value !== 'object' || value === null || !(MARKER in value)) return false
    const { kind, prototype } = this
    // A subclass of the user's own has no kind.
    if (kind === undefined)
      return prototype === SvcAudioError.prototype || Object.prototype.isPrototypeOf.call(prototype, value)
    return Reflect.get(value, 'name') === kind
  }
}
