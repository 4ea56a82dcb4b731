import { splitPauses } from './pauses.ts'
import { TextOptionError } from './split-options.ts'

/**
 * Respellings by language, then by term. `*` applies to every language, `en` also to `en-US`, `en-US` only to itself.
 *
 * @example
 * const entries = { '*': { nginx: 'engine x' }, en: { SQL: 'sequel' }, de: { SQL: 'Es-Ku-El' } }
 */
export type LexiconEntries = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A text in two forms: written, for captions, and spoken. */
export interface SpokenText {
  /** As the reader sees it. */
  readonly written: string
  /** As the voice says it. */
  readonly spoken: string
}

/** Respellings, made by {@link createLexicon}. */
export interface Lexicon {
  /**
   * Respells the terms of a text. Without a language, the terms of `*` apply, and those of the other language if there
   * is only one.
   */
  respell(text: string, language?: string): string
}

/** Scripts without white space between words. Whole words cannot be recognized there. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
const WORD = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]`
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v')
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}]$`, 'v')

/**
 * Creates a lexicon of terms and their respellings. A term matches whole words, in scripts that separate words. The
 * longest term wins, then the closest language. A lower-case term matches any case. A term with a capital matches only
 * its exact spelling: "US" does not match "us". Respelled text is not respelled again.
 *
 * @throws TextOptionError for an empty term
 */
export function createLexicon(entries: LexiconEntries): Lexicon {
  const scopes = Object.entries(entries).map(([language, terms]) => ({
    language: language.toLowerCase(),
    terms: Object.entries(terms),
  }))
  if (scopes.some(({ terms }) => terms.some(([term]) => term.trim() === ''))) {
    throw new TextOptionError('lexicon', 'A lexicon term must not be empty')
  }
  // The closest language first. Terms of a language go before those of `*`.
  scopes.sort((a, b) => rank(b.language) - rank(a.language))
  const languages = scopes.filter(({ language }) => language !== '*')
  // A lexicon with one language implies the language of the text.
  const only = languages.length === 1 ? (languages[0]?.language ?? '') : ''
  // Every piece of a text uses the same language.
  let known: { key: string; respell: (text: string) => string } | undefined
  return {
    respell(text, language) {
      const key = language?.trim().toLowerCase() || only
      if (known?.key !== key) {
        known = { key, respell: respeller(scopes.filter((scope) => covers(scope.language, key)).flatMap(termsOf)) }
      }
      return known.respell(text)
    },
  }
}

/**
 * Respells a text. Pause markers stay unchanged.
 *
 * @param language Language of the text, e.g. `en-US`
 */
export function applyLexicon(text: string, lexicon: Lexicon, language?: string): SpokenText {
  const parts = splitPauses(text).map((part) =>
    part.type === 'pause' ? part.marker : lexicon.respell(part.text, language),
  )
  return { written: text, spoken: parts.join('') }
}

function rank(language: string): number {
  return language === '*' ? 0 : language.length
}

function covers(scope: string, language: string): boolean {
  return scope === '*' || language === scope || language.startsWith(`${scope}-`)
}

function termsOf(scope: { readonly terms: readonly [string, string][] }): readonly [string, string][] {
  return scope.terms
}

function respeller(terms: readonly [string, string][]): (text: string) => string {
  if (terms.length === 0) return (text) => text
  const [exact, anyCase] = [new Map<string, string>(), new Map<string, string>()]
  for (const [term, respelling] of terms) {
    const map = isLowerCase(term) ? anyCase : exact
    if (!map.has(term)) map.set(term, respelling)
  }
  const found = [...exact.keys(), ...anyCase.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(found.map(termPattern).join('|'), 'gv')
  return (text) => text.replace(pattern, (match) => exact.get(match) ?? anyCase.get(match.toLowerCase()) ?? match)
}

function isLowerCase(term: string): boolean {
  return term === term.toLowerCase()
}

/** The pattern of a term: not inside a longer word, and case-insensitive if the term is in lower case. */
function termPattern(term: string): string {
  const letters = Array.from(term, (letter) => {
    const upper = letter.toUpperCase()
    const cased =
      isLowerCase(term) && upper !== letter && upper.length === letter.length && upper.toLowerCase() === letter
    return cased ? `[${letter}${upper}]` : escape(letter)
  })
  const before = STARTS_UNSPACED.test(term) ? '' : `(?<!${WORD})`
  const behind = ENDS_UNSPACED.test(term) ? '' : `(?!${WORD})`
  return `${before}${letters.join('')}${behind}`
}

function escape(letter: string): string {
  return /[\p{L}\p{N}\p{M}]/u.test(letter) ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`
}
