import { SYMBOLS } from '@svc-audio/joe-en'

/** Vowels of the CMU dictionary in the voice's alphabet, when they are stressed. */
const VOWELS: Readonly<Record<string, string>> = {
  AA: 'ɑː',
  AE: 'æ',
  AH: 'ʌ',
  AO: 'ɔː',
  AW: 'aʊ',
  AY: 'aɪ',
  EH: 'ɛ',
  ER: 'ɜː',
  EY: 'eɪ',
  IH: 'ɪ',
  IY: 'iː',
  OW: 'oʊ',
  OY: 'ɔɪ',
  UH: 'ʊ',
  UW: 'uː',
}

/** Vowels that are shorter without stress. */
const WEAK_VOWELS: Readonly<Record<string, string>> = { AH: 'ə', ER: 'ɚ', IY: 'i' }

/** Consonants of the CMU dictionary. */
const CONSONANTS: Readonly<Record<string, string>> = {
  B: 'b',
  CH: 'tʃ',
  D: 'd',
  DH: 'ð',
  F: 'f',
  G: 'ɡ',
  HH: 'h',
  JH: 'dʒ',
  K: 'k',
  L: 'l',
  M: 'm',
  N: 'n',
  NG: 'ŋ',
  P: 'p',
  R: 'ɹ',
  S: 's',
  SH: 'ʃ',
  T: 't',
  TH: 'θ',
  V: 'v',
  W: 'w',
  Y: 'j',
  Z: 'z',
  ZH: 'ʒ',
}

/** Stress before a vowel, by its digit in the dictionary. */
const STRESS: Readonly<Record<string, string>> = { 1: 'ˈ', 2: 'ˌ' }

/** A phone of the dictionary: its name, and its stress when it is a vowel. */
interface Phone {
  readonly name: string
  readonly stress?: string | undefined
}

/** Reads phones such as `HH AH0 L OW1`. */
function phonesOf(pronunciation: string): Phone[] {
  return pronunciation
    .split(' ')
    .map((phone) => (/\d$/.test(phone) ? { name: phone.slice(0, -1), stress: phone.slice(-1) } : { name: phone }))
}

/** Whether a phone is a vowel: a `T` between two of them is a tap. */
const isVowel = (phone: Phone | undefined): boolean => phone?.stress !== undefined

/**
 * Writes a pronunciation in the alphabet of the voice, American English.
 * @param pronunciation Phones of the CMU dictionary with the stress of vowels, as `HH AH0 L OW1`. A vowel without a digit
 * has no stress.
 */
export function toPhonemes(pronunciation: string): string {
  const phones = phonesOf(pronunciation)
  // The end of "thirty" has no stress to hear.
  const last = phones.at(-1)
  if (last?.name === 'IY' && last.stress === '2') phones[phones.length - 1] = { name: 'IY', stress: '0' }
  return phones.map((phone, index) => phonemeOf(phone, phones[index - 1], phones[index + 1], index)).join('')
}

function phonemeOf(
  { name, stress }: Phone,
  before: Phone | undefined,
  after: Phone | undefined,
  index: number,
): string {
  if (stress === undefined) {
    const isTap = name === 'T' && (isVowel(before) || before?.name === 'R') && isVowel(after) && after?.stress === '0'
    return isTap && after?.name !== 'AH' ? 'ɾ' : (CONSONANTS[name] ?? '')
  }
  return (STRESS[stress] ?? '') + vowelOf(name, stress === '0', after, index)
}

function vowelOf(name: string, isWeak: boolean, after: Phone | undefined, index: number): string {
  if (isWeak && name === 'AH' && index === 0) return 'ɐ'
  // As in "wanted" and "roses".
  if (isWeak && name === 'IH' && (after?.name === 'Z' || after?.name === 'D')) return 'ᵻ'
  if (name === 'IY' && after?.name === 'R') return 'ɪ'
  // The vowel of "bird" has its r inside; before another vowel it is spoken.
  const r = name === 'ER' && !isWeak && isVowel(after) ? 'ɹ' : ''
  return ((isWeak ? WEAK_VOWELS[name] : undefined) ?? VOWELS[name] ?? '') + r
}

const NUMBERS = new Map(SYMBOLS.map((symbol, number) => [symbol, number]))

/** Between symbols. */
const GAP = 0
const BEGIN = 1
const END = 2

/** Returns the numbers that the voice reads. Symbols that it does not know are left out. */
export function toNumbers(phonemes: string): number[] {
  const known = Array.from(phonemes, (symbol) => NUMBERS.get(symbol)).filter((number) => number !== undefined)
  return [BEGIN, GAP, ...known.flatMap((number) => [number, GAP]), END]
}
