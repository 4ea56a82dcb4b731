import type { EnglishRules } from '../flite/program.ts'
import type { Dictionary } from './dictionary.ts'
import { lexiconOf } from './lexicon.ts'
import { toPhonemes } from './phonemes.ts'
import { signName, writeOut } from './written.ts'

/** Function words as they sound in a sentence, in the voice's alphabet. */
const WEAK_FORMS: Readonly<Record<string, string>> = {
  a: 'ɐ',
  an: 'ɐn',
  the: 'ðə',
  and: 'ænd',
  or: 'ɔːɹ',
  but: 'bʌt',
  of: 'ʌv',
  to: 'tə',
  for: 'fɔːɹ',
  from: 'fɹʌm',
  in: 'ɪn',
  on: 'ˌɔn',
  at: 'æt',
  as: 'æz',
  by: 'baɪ',
  with: 'wɪð',
  is: 'ɪz',
  are: 'ɑːɹ',
  was: 'wʌz',
  were: 'wɜː',
  be: 'biː',
  been: 'bɪn',
  has: 'hæz',
  have: 'hæv',
  had: 'hæd',
  can: 'kæn',
  will: 'wɪl',
  would: 'wʊd',
  could: 'kʊd',
  should: 'ʃʊd',
  do: 'duː',
  does: 'dʌz',
  i: 'aɪ',
  you: 'juː',
  he: 'hiː',
  she: 'ʃiː',
  it: 'ɪt',
  we: 'wiː',
  they: 'ðeɪ',
  my: 'maɪ',
  your: 'jʊɹ',
  his: 'hɪz',
  her: 'hɜː',
  its: 'ɪts',
  our: 'ˌaʊɚ',
  their: 'ðɛɹ',
  me: 'miː',
  him: 'hɪm',
  us: 'ˌʌs',
  them: 'ðɛm',
  that: 'ðæt',
  this: 'ðɪs',
  these: 'ðiːz',
  than: 'ðæn',
  if: 'ɪf',
  per: 'pɜː',
  about: 'ɐbˌaʊt',
  before: 'bᵻfˌɔːɹ',
  over: 'ˌoʊvɚ',
  under: 'ˌʌndɚ',
  into: 'ˌɪntʊ',
  through: 'θɹuː',
  near: 'nˌɪɹ',
  so: 'sˌoʊ',
  who: 'hˌuː',
  where: 'wˌɛɹ',
  when: 'wɛn',
  while: 'wˌaɪl',
  up: 'ˌʌp',
  "i'll": 'aɪl',
  "we'll": 'wiːl',
  "you've": 'juːv',
  "they're": 'ðeɪɚ',
  "it's": 'ɪts',
}

/** Function words that join the article after them, as the voice has learned them. */
const JOINED: readonly (readonly [apart: RegExp, together: string])[] = [
  [/(?<=^| )ʌv (?=ð[əɪ] )/g, 'ʌv'],
  [/(?<=^| )ɪn (?=ð[əɪ] )/g, 'ɪn'],
  [/(?<=^| )ˌɔn (?=ð[əɪ] )/g, 'ɔn'],
  [/(?<=^| )fɔːɹ (?=ð[əɪ] )/g, 'fɚ'],
  [/(?<=^| )fɹʌm (?=ð[əɪ] )/g, 'fɹʌm'],
  [/(?<=^| )wʌz (?=ð[əɪ] |ɐ )/g, 'wʌz'],
  [/(?<=^| )ʌv (?=ɐ )/g, 'əv'],
  [/(?<=^| )hæd (?=tə )/g, 'hæd'],
]

/** An r at the end of a word that is heard before a vowel. */
const LINKING_R = /([ɚɜ]ː?)(?= [ˈˌ]?[aeiouæɐɑɔəɚɛɜɪʊʌ])/g

/** Function words that have their full form before a pause. */
const FULL_AT_END =
  /^(?:of|to|for|from|in|on|at|by|with|is|are|was|were|be|been|has|have|had|can|will|would|could|should|do|does|that|this|these|if|about|before|over|under|through|near|so|who|where|when|up)$/

/** A word, or the sign of a pause, in order. */
interface Piece {
  readonly kind: 'word' | 'letter' | 'pause'
  readonly text: string
}

const PAUSE = /\s*(?:[,;:!?()[\]{}"]+|\.{2,}|\s-+(?=\s)|--+)(?=\s|$)|(?<=\s|^)[("[{]+/g
const ENDS = new Set([',', ';', ':', '!', '?', '.'])
const INITIALISMS = new Set(['AI', 'AM', 'EU', 'HR', 'ID', 'IDS', 'IP', 'IT', 'OS', 'PM', 'UI', 'UK', 'UN', 'US', 'UX'])
const PLAIN = /^[A-Za-z]+(?:['-][A-Za-z]+)*'?$/
const ROMAN = /^[IVX]{2,}$/
const VOWEL_SOUND = /^[ˈˌ]?[aeiouæɐɑɔəɚɛɜɪʊʌ]/

/** Reads English for the voice `joe`: text becomes phonemes. */
export class Reader {
  readonly #dictionary: Dictionary
  readonly #rules: EnglishRules

  constructor(dictionary: Dictionary, rules: EnglishRules) {
    this.#dictionary = dictionary
    this.#rules = rules
  }

  /**
   * Returns the phonemes of a sentence, with its pauses and its end.
   * @param text As `toSpeakable` returns it.
   */
  read(text: string): string {
    const pieces = this.#pieces(writeOut(text))
    let phonemes = ''
    for (const [index, piece] of pieces.entries()) {
      if (piece.kind === 'pause') {
        phonemes = phonemes.trimEnd() + (phonemes === '' ? '' : `${piece.text} `)
        continue
      }
      phonemes += `${this.#sound(piece, pieces[index - 1], pieces[index + 1])} `
    }
    const linked = phonemes.replaceAll(LINKING_R, '$1ɹ')
    return JOINED.reduce((joined, [apart, together]) => joined.replaceAll(apart, together), linked).trim()
  }

  #sound(piece: Piece, before: Piece | undefined, next: Piece | undefined): string {
    const { text } = piece
    if (piece.kind === 'letter') {
      const phonemes = toPhonemes(letterPhones(this.#dictionary, text))
      // The last letter has the stress.
      return next?.kind === 'letter' ? phonemes.replace('ˈ', 'ˌ') : phonemes
    }
    const weak = WEAK_FORMS[text]
    const isLast = next?.kind !== 'word' && next?.kind !== 'letter'
    if (weak === undefined || (isLast && FULL_AT_END.test(text))) {
      return toPhonemes(lexiconOf(text, before?.text, next?.text) ?? this.#phones(text))
    }
    if (text !== 'the' && text !== 'to') return weak
    const opens = next !== undefined && VOWEL_SOUND.test(this.#sound(next, undefined, undefined))
    return opens ? (text === 'the' ? 'ðɪ' : 'tʊ') : weak
  }

  #pieces(text: string): Piece[] {
    const pieces: Piece[] = []
    let from = 0
    const take = (to: number): void => {
      pieces.push(...this.#words(text.slice(from, to)))
    }
    for (const { 0: sign, index } of text.matchAll(PAUSE)) {
      take(index)
      from = index + sign.length
      // Quotation marks alone are not heard.
      if (/^\s*"+$/.test(sign)) continue
      const mark = Array.from(sign.trim()).find((one) => ENDS.has(one)) ?? ','
      const isInner = from < text.trimEnd().length
      pieces.push({ kind: 'pause', text: sign.includes('..') ? ',' : mark === '.' && isInner ? ',' : mark })
    }
    const rest = text.slice(from)
    const end = /\.['"]?\s*$/.exec(rest)
    if (end === null) take(text.length)
    else take(from + end.index)
    if (end !== null || pieces.at(-1)?.kind !== 'pause') pieces.push({ kind: 'pause', text: '.' })
    return joinPauses(pieces)
  }

  /** Words between two pauses. */
  #words(text: string): Piece[] {
    const tokens = text.split(/\s+/).filter((token) => /[^'"`-]/.test(token))
    if (tokens.length === 0) return []
    const isMixed = /[a-z]/.test(text)
    const known = tokens.map((token, index) =>
      this.#known(token.replaceAll(/^['"`]+|["`]+$/g, ''), isMixed, index === 0),
    )
    if (!known.includes(undefined)) return known.flatMap((words) => words ?? [])
    const pieces: Piece[] = []
    for (let at = 0; at < tokens.length; at += 1) {
      const words = known[at]
      if (words !== undefined) {
        pieces.push(...words)
        continue
      }
      // With the word after each: "$3 million", "Dr. Smith".
      let end = at + 1
      while (end < tokens.length && (known[end] === undefined || known[end - 1] === undefined)) end += 1
      pieces.push(...this.#readRun(tokens, at, end))
      at = end - 1
    }
    return pieces
  }

  /** @returns The words of a token that needs no rules, or nothing */
  #known(token: string, isMixed: boolean, isFirst: boolean): Piece[] | undefined {
    if (!PLAIN.test(token)) return undefined
    const capitals = token === token.toUpperCase() && token.length > 1 && !token.includes("'")
    if (token === 'A' && !isFirst) return lettersOf(token)
    if (capitals && isMixed) {
      if (INITIALISMS.has(token)) return lettersOf(token)
      if (ROMAN.test(token)) return undefined
      if (token.length <= 5 && this.#dictionary(token.toLowerCase()) === undefined) return lettersOf(token)
    }
    const whole = token.toLowerCase()
    if (this.#dictionary(whole) !== undefined || !/[-]|[a-z][A-Z]/.test(token)) return [{ kind: 'word', text: whole }]
    // `GitHub`, `well-known`: parts that are words.
    const parts = token.split(/-|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '')
    return parts.flatMap(
      (part) => this.#known(part, true, true) ?? [{ kind: 'word' as const, text: part.toLowerCase() }],
    )
  }

  #readRun(tokens: readonly string[], from: number, to: number): Piece[] {
    // A word before tells a day from a number: "May 3", "Chapter IV".
    const before = tokens.slice(Math.max(0, from - 1), from)
    const run = tokens.slice(from, to)
    const context = before.length > 0 && PLAIN.test(before[0] ?? '') ? before : []
    const skipped = context.length === 0 ? 0 : this.#rules.words(context.join(' ')).length
    const words = this.#rules.words([...context, ...run].join(' ')).slice(skipped)
    // Flite drops apostrophes: "dont".
    const apostrophes = new Map(
      run.flatMap((token) => {
        const plain = token.toLowerCase().replaceAll(/^[^a-z]+|[^a-z']+$/g, '')
        return plain.includes("'") ? [[plain.replaceAll("'", ''), plain]] : []
      }),
    )
    const pieces: Piece[] = []
    for (const word of words) {
      const last = pieces.at(-1)
      if (word === 'cent' && last?.text === 'per') {
        pieces[pieces.length - 1] = { kind: 'word', text: 'percent' }
        continue
      }
      if (word.startsWith("'") && last?.kind === 'word') {
        pieces[pieces.length - 1] = { kind: 'word', text: last.text + word }
      } else pieces.push(...pieceOf(apostrophes.get(word) ?? word))
    }
    return pieces
  }

  /** Phones of any word. */
  #phones(word: string): string {
    return this.#dictionary(word) ?? this.#derived(word) ?? stressed(this.#rules.phones(word), word)
  }

  /** Words made of known ones: possessives, plurals, other endings, compounds. */
  #derived(word: string): string | undefined {
    for (const [ending, sounds] of ENDINGS) {
      if (!word.endsWith(ending)) continue
      for (const stem of stemsOf(word, ending)) {
        const phones = stem.length >= 2 ? this.#dictionary(stem) : undefined
        if (phones !== undefined) return `${phones} ${sounds(phones.slice(phones.lastIndexOf(' ') + 1))}`
      }
    }
    let best: readonly [string, string] | undefined
    for (let cut = 3; cut <= word.length - 3; cut += 1) {
      const [left, right] = [this.#dictionary(word.slice(0, cut)), this.#dictionary(word.slice(cut))]
      if (left === undefined || right === undefined) continue
      best = [left, right.replaceAll('1', '2')]
    }
    return best?.join(' ')
  }
}

function joinPauses(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (piece.kind !== 'pause' || last?.kind !== 'pause') joined.push(piece)
    else if (last.text === ',') joined[joined.length - 1] = piece
  }
  return joined
}

function lettersOf(token: string): Piece[] {
  return Array.from(token.toLowerCase(), (text) => ({ kind: 'letter', text }))
}

function letterPhones(dictionary: Dictionary, letter: string): string {
  return letter === 'a' ? 'EY1' : (dictionary(letter) ?? '')
}

/** What flite wrote for a token. */
function pieceOf(word: string): Piece[] {
  if (word === '.') return [{ kind: 'word', text: 'point' }]
  const sign = signName(word)
  if (sign !== undefined) return sign.split(' ').map((text) => ({ kind: 'word', text }))
  // Flite writes the letter A as `_a`.
  const plain = word.replace(/^_/, '').replaceAll(/[^a-z']/g, '')
  if (plain === '') return []
  if (plain.length === 1 && (plain !== 'a' || word.startsWith('_'))) return lettersOf(plain)
  return [{ kind: 'word', text: plain }]
}

/** Endings and their sound after a phone. */
const ENDINGS: readonly (readonly [ending: string, sound: (last: string) => string])[] = [
  ["'s", plural],
  ["s'", plural],
  ['s', plural],
  ['ed', past],
  ['ing', () => 'IH0 NG'],
  ['ly', () => 'L IY0'],
  ['er', () => 'ER0'],
  ['ers', () => 'ER0 Z'],
  ['ness', () => 'N AH0 S'],
  ['less', () => 'L AH0 S'],
  ['able', () => 'AH0 B AH0 L'],
]

function plural(last: string): string {
  if (/^(?:S|Z|SH|ZH|CH|JH)$/.test(last)) return 'IH0 Z'
  return /^(?:P|T|K|F|TH)$/.test(last) ? 'S' : 'Z'
}

function past(last: string): string {
  if (last === 'T' || last === 'D') return 'IH0 D'
  return /^(?:P|K|F|TH|S|SH|CH)$/.test(last) ? 'T' : 'D'
}

function stemsOf(word: string, ending: string): string[] {
  const stem = word.slice(0, -ending.length)
  if (ending === "'s" || ending === "s'") return [stem]
  const isDoubled = stem.length > 3 && stem.at(-1) === stem.at(-2)
  return [
    stem,
    ...(ending === 's' && stem.endsWith('e') ? [stem.slice(0, -1)] : []),
    ...(/^(?:ed|ing|er|ers|able)$/.test(ending) ? [`${stem}e`] : []),
    ...(isDoubled && ending !== 's' ? [stem.slice(0, -1)] : []),
    ...(ending === 's' && stem.endsWith('ie') ? [`${stem.slice(0, -2)}y`] : []),
  ]
}

const VOWEL_PHONE = /^(?:A[AEHOWXY]|AXR|E[HRY]|I[HY]|O[WY]|U[HW])$/
/** Endings whose word has its stress on the syllable before. */
const STRESS_BEFORE_END = /(?:tion|sion|ics?|ical|ity|ious|ian|ial|ia|ium|io)$/

/** Gives the phones of an unknown word their stress. */
function stressed(phones: readonly string[], word: string): string {
  const vowels = phones.flatMap((phone, index) => (VOWEL_PHONE.test(phone) ? [index] : []))
  const full = vowels.filter((index) => !/^AXR?$/.test(phones[index] ?? ''))
  const wanted = vowels.length < 3 || STRESS_BEFORE_END.test(word) ? 2 : 3
  const target = vowels.at(-Math.min(wanted, vowels.length)) ?? -1
  const main = full.includes(target) ? target : (full.findLast((index) => index < target) ?? full[0])
  return phones
    .map((phone, index) => {
      if (!VOWEL_PHONE.test(phone)) return phone
      const name = phone === 'AX' ? 'AH' : phone === 'AXR' ? 'ER' : phone
      return name + (index === main ? '1' : '0')
    })
    .join(' ')
}
