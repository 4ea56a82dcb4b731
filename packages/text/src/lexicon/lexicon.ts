import { TextOptionError } from '../text-option-error.ts'
import { splitPauses } from '../sentences/pauses.ts'

/**
 * Respellings by language, then by term. `*` counts for every language, `en` for `en-US` too, `en-US` for itself only.
 *
 * @example
 * const entries = { '*': { nginx: 'engine x' }, en: { SQL: 'sequel' }, de: { SQL: 'Es-Ku-El' } }
 */
export type LexiconEntries = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A text as it was written, for captions, and as it is to be spoken. */
export interface SpokenText {
  readonly written: string
  readonly spoken: string
}

/** Respellings, made by {@link createLexicon}. */
export interface Lexicon {
  /** The text with its terms respelled. Without a language the terms of `*` count, and those of the only other language. */
  respell(text: string, language?: string): string
}

/** Scripts that put no white space between words, where no word can be told to be whole. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
const WORD = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]`
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v')
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}]$`, 'v')

/**
 * A lexicon of terms and how to say them. A term counts as a whole word (in scripts that separate words), the longest
 * one first, and of equals the one of the closest language. A term in lower case counts in any case; one with a capital
 * only as it is written, so that "US" leaves "us" alone. What was respelled is not respelled again.
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
  // The closest language first, and of a language its own terms before those of `*`.
  scopes.sort((a, b) => rank(b.language) - rank(a.language))
  const languages = scopes.filter(({ language }) => language !== '*')
  // A lexicon of one language says which language the text is in.
  const only = languages.length === 1 ? (languages[0]?.language ?? '') : ''
  // One language is asked for again and again, for each piece of a text.
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
 * Respells a text; pause markers stay as they are.
 *
 * @param language Of the text, e.g. `en-US`.
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

/** A pattern of one term: not within a longer word, and in any case where the term is in lower case. */
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
