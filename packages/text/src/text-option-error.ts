const MARKER = Symbol.for('svc-audio.text-option-error')

/** An option of this package has an unknown name or a wrong value. The message names the option and the remedy. */
export class TextOptionError extends TypeError {
  /** Survives minifiers. */
  override readonly name = 'TextOptionError' as const
  /** Name of the option. */
  readonly option: string

  /** @param option Name of the option. */
  constructor(option: string, message: string) {
    super(message)
    this.option = option
    Object.defineProperty(this, MARKER, { value: true })
  }

  /** Whether a value is such an error. Unlike `instanceof`, it also recognizes errors from a second copy of this package. */
  static isInstance(value: unknown): value is TextOptionError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}
