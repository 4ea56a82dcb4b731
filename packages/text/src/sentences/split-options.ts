import { describeFault, integer } from '#options'

/** Options of {@link splitText} and the other splitters. */
export interface SplitOptions {
  /**
   * Most UTF-16 code units of a piece, at least 32, so a pause marker fits. The interface does not say how long `input`
   * may be. Short pieces are spoken sooner; long pieces flow better.
   * @default 1000
   */
  readonly maxCharacters?: number | undefined
  /** Language of the text, e.g. `en` or `de-AT`. It selects the abbreviations. @default 'en' */
  readonly language?: string | undefined
}

/** Checked options of a splitter, with their defaults. */
export interface CheckedSplit {
  /** Maximum characters of a piece. */
  readonly maxCharacters: number
  /** A tag that `Intl` takes. */
  readonly locale: string
}

const MIN_CHARACTERS = 32

/** @throws TextOptionError unless `maxCharacters` is a whole number of at least 32 */
export function checkSplit({ maxCharacters = 1000, language }: SplitOptions): CheckedSplit {
  const fault = describeFault('maxCharacters', integer(MIN_CHARACTERS), maxCharacters)
  if (fault !== undefined) throw new TextOptionError('maxCharacters', fault)
  return { maxCharacters, locale: localeOf(language) }
}

/** A language hint of the service need not be a valid language tag. */
function localeOf(language: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(language?.trim())[0] ?? 'en'
  } catch {
    return 'en'
  }
}

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
