import { TextOptionError } from '../text-option-error.ts'

/** How a text is split. */
export interface SplitOptions {
  /**
   * Most UTF-16 code units of a piece, at least 32, so that a pause marker fits. The interface does not say how long an
   * `input` may be; short pieces are spoken sooner, long ones flow better.
   * @default 1000
   */
  readonly maxCharacters?: number | undefined
  /** Language of the text, e.g. `en` or `de-AT`: what counts as an abbreviation. @default 'en' */
  readonly language?: string | undefined
}

/** Options in order, for {@link SentenceScanner}. */
export interface CheckedSplit {
  readonly maxCharacters: number
  /** A tag that `Intl` takes. */
  readonly locale: string
}

const MIN_CHARACTERS = 32

/** @throws TextOptionError when `maxCharacters` is no whole number of at least 32 */
export function checkSplit({ maxCharacters = 1000, language }: SplitOptions): CheckedSplit {
  if (!Number.isSafeInteger(maxCharacters) || maxCharacters < MIN_CHARACTERS) {
    throw new TextOptionError('maxCharacters', `maxCharacters must be a whole number of at least ${MIN_CHARACTERS}`)
  }
  return { maxCharacters, locale: localeOf(language) }
}

/** What a service takes as a language hint need not be a language tag. */
function localeOf(language: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(language?.trim())[0] ?? 'en'
  } catch {
    return 'en'
  }
}
