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

/**
 * Keeps one stress of neighbours: the primary one, or the first of two. The dictionary marks both halves of "headphones",
 * and the voice has learned one.
 */
function withOneStress(phones: readonly Phone[]): Phone[] {
  const vowels = phones.filter(isVowel)
  // Letters, as in "FBI": the last one has the stress.
  if (vowels.length > 2 && vowels.every(({ stress }) => stress === '1')) {
    return phones.map((phone) => (isVowel(phone) && phone !== vowels.at(-1) ? { ...phone, stress: '2' } : phone))
  }
  return phones.map((phone) => {
    if (!isVowel(phone) || phone.stress === '0') return phone
    const at = vowels.indexOf(phone)
    const [before, after] = [vowels[at - 1]?.stress, vowels[at + 1]?.stress]
    const yields = phone.stress === '2' ? before === '1' || after === '1' : before === '1'
    return yields ? { ...phone, stress: FULL } : phone
  })
}

/** A vowel without stress that is not reduced. */
const FULL = 'full'

/** Whether a phone is a vowel: a `T` between two of them is a tap. */
const isVowel = (phone: Phone | undefined): boolean => phone?.stress !== undefined

/**
 * Writes a pronunciation in the alphabet of the voice, American English.
 * @param pronunciation Phones of the CMU dictionary with the stress of vowels, as `HH AH0 L OW1`. A vowel without a digit
 * has no stress.
 */
export function toPhonemes(pronunciation: string): string {
  const phones = withOneStress(phonesOf(pronunciation))
  return phones.map((_, index) => phonemeOf(phones, index)).join('')
}

function phonemeOf(phones: readonly Phone[], index: number): string {
  const [before, phone, after, next] = [phones[index - 1], phones[index], phones[index + 1], phones[index + 2]]
  if (phone === undefined) return ''
  const { name, stress } = phone
  // The end of "company" has no stress to hear.
  if (name === 'IY' && stress === '2' && after === undefined) return 'i'
  if (stress !== undefined) return (STRESS[stress] ?? '') + vowelOf(phones, index)
  const isTap = name === 'T' && (isVowel(before) || before?.name === 'R') && after?.stress === '0'
  // As in "skeleton", not in "total".
  const isStop = after?.name === 'AH' && next?.name === 'N'
  return isTap && !isStop ? 'ɾ' : (CONSONANTS[name] ?? '')
}

function vowelOf(phones: readonly Phone[], index: number): string {
  const [before, { name = '', stress } = {}, after] = [phones[index - 1], phones[index], phones[index + 1]]
  const isWeak = stress === '0'
  if (isWeak && name === 'AH' && index === 0) return 'ɐ'
  const isLast = index === phones.length - 2
  // As in "wanted" and "roses".
  if (isWeak && /^[AI]H$/.test(name) && isLast) {
    if (after?.name === 'D' && /^[TD]$/.test(before?.name ?? '')) return 'ᵻ'
    if (after?.name === 'Z' && /^(?:S|Z|SH|ZH|CH|JH)$/.test(before?.name ?? '')) return 'ᵻ'
  }
  // As in "return" and "before".
  if (isWeak && /^I[HY]$/.test(name) && index === 1 && /^[RBD]$/.test(before?.name ?? '')) return 'ᵻ'
  if (name === 'IY' && after?.name === 'R') return 'ɪ'
  if (name === 'IY' && after?.name === 'AH') return 'i'
  if (name === 'AO' && after?.name === 'G') return 'ɑː'
  // The vowel of "bird" has its r inside; before another vowel it is spoken.
  const r = name === 'ER' && isVowel(after) ? 'ɹ' : ''
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
