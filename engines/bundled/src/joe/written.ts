/* What people write and flite does not read as people speak it: dates, units, abbreviations, addresses. */

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Abbreviations with a full stop, in lower case. Flite reads titles and streets itself. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MONTHS.map((month) => [month.slice(0, 3).toLowerCase(), month])),
  sept: 'September',
  mon: 'Monday',
  tue: 'Tuesday',
  tues: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  thurs: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
  ms: 'Miz',
  prof: 'Professor',
  gen: 'General',
  gov: 'Governor',
  sen: 'Senator',
  rep: 'Representative',
  capt: 'Captain',
  sgt: 'Sergeant',
  lt: 'Lieutenant',
  col: 'Colonel',
  rev: 'Reverend',
  hon: 'Honorable',
  jr: 'Junior',
  sr: 'Senior',
  etc: 'et cetera',
  vs: 'versus',
  approx: 'approximately',
  dept: 'department',
  est: 'established',
  fig: 'figure',
  vol: 'volume',
  ch: 'chapter',
  pp: 'pages',
  inc: 'incorporated',
  ltd: 'limited',
  corp: 'corporation',
  co: 'company',
  ave: 'avenue',
  blvd: 'boulevard',
  rd: 'road',
  apt: 'apartment',
  mt: 'mount',
  ft: 'feet',
  lb: 'pounds',
  lbs: 'pounds',
  oz: 'ounces',
  min: 'minutes',
  hrs: 'hours',
  hr: 'hours',
  tel: 'telephone',
  ext: 'extension',
  misc: 'miscellaneous',
  avg: 'average',
  max: 'maximum',
}

/** Units after a number. */
const UNITS: Readonly<Record<string, string>> = {
  'km/h': 'kilometers per hour',
  kmh: 'kilometers per hour',
  'm/s': 'meters per second',
  mph: 'miles per hour',
  km: 'kilometers',
  cm: 'centimeters',
  mm: 'millimeters',
  m: 'meters',
  kg: 'kilograms',
  g: 'grams',
  mg: 'milligrams',
  l: 'liters',
  ml: 'milliliters',
  lb: 'pounds',
  lbs: 'pounds',
  oz: 'ounces',
  ft: 'feet',
  kb: 'kilobytes',
  mb: 'megabytes',
  gb: 'gigabytes',
  tb: 'terabytes',
  ms: 'milliseconds',
  s: 'seconds',
  min: 'minutes',
  hz: 'hertz',
  khz: 'kilohertz',
  mhz: 'megahertz',
  ghz: 'gigahertz',
  kw: 'kilowatts',
  kwh: 'kilowatt hours',
  w: 'watts',
  v: 'volts',
  degrees: 'degrees',
}

/** Signs between letters or alone. Flite reads others by their names. */
const SIGNS: Readonly<Record<string, string>> = {
  '@': 'at',
  '&': 'and',
  '+': 'plus',
  '=': 'equals',
  '#': 'number',
  '%': 'percent',
  $: 'dollars',
  '*': 'star',
  '^': 'caret',
  '~': 'tilde',
  '\\': 'backslash',
  '|': 'bar',
  _: 'underscore',
  '/': 'slash',
  '<': 'less than',
  '>': 'greater than',
}

/** Returns the name of a sign, or nothing. */
export const signName = (sign: string): string | undefined => SIGNS[sign]

function dateOf(year: string | undefined, month: number, day: number): string | undefined {
  const name = MONTHS[month - 1]
  if (name === undefined || day < 1 || day > 31) return undefined
  return `${name} ${day}${year === undefined ? '' : `, ${year}`}`
}

const ISO_DATE = /\b(\d{4})-(\d\d)-(\d\d)\b/g
const SLASH_DATE = /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g
const UNIT = /(\d)\s?(km\/h|kmh|m\/s|[a-z]{1,3}|[KMGT]B|[kMG]?Hz|k?Wh?)(?![\w/'-])/gi
const ADDRESS =
  /(?:https?:\/\/|www\.)\S+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[a-z][\w-]*(?:\.[a-z][\w-]*)*\.(?:com|org|net|io|dev|edu|gov|info|example|js|py|ts|md)\b(?:\/\S*)?/gi
const VERSION = /\bv?(\d+(?:\.\d+){2,})\b/g
const CLOCK_HOUR = /\b(\d{1,2}):00\b(?!:)(\s?[ap]\.?m\b)?/gi
const MERIDIEM = /\b([ap])\.m\.?(?=\W|$)/gi
const DECADE = /(?:\b(\d\d)|'|\b)(\d)0'?s\b/g
const MONEY = /([$]\d[\d.,]*)(k|m|bn|b)\b/gi
const AMOUNTS: Readonly<Record<string, string>> = { k: 'thousand', m: 'million', b: 'billion', bn: 'billion' }
const COINS = /\b(\d+)\.(\d\d) (euros|pounds)\b/g
const RANGE = /(?<![\d-])(\d{1,3})-(\d{1,3})(?![\d-])\b/g
const INITIALS = /\b([A-Z]{1,3})&([A-Z]{1,3})\b/g
const TENS = ['', 'tens', 'twenties', 'thirties', 'forties', 'fifties', 'sixties', 'seventies', 'eighties', 'nineties']
const NUMBER_SIGN = /(?:#|\bnos?\.\s?)(?=\d)/gi
const ABBREVIATION = /\b([a-z]{2,6})\.(?=\s|,|;|$)/gi
const PAGE = /\b(pp?)\.\s?(?=\d)/g
const LATIN = /\b(e\.g\.|i\.e\.)/gi

const spaced = (letters: string): string => Array.from(letters, (letter) => `${letter}.`).join(' ')

/** Writes an address so that it can be read aloud. */
function readAddress(address: string): string {
  const [, kept = address, end = ''] = /^(.*?)([.,;:!?)]*)$/.exec(address.replace(/^https?:\/\//i, '')) ?? []
  const words = kept.replaceAll(/[@._/?=&#+:-]/g, (sign) => {
    if (sign === '.') return ' dot '
    if (sign === '-') return ' dash '
    if (sign === '?') return ' question mark '
    if (sign === ':') return ' colon '
    return ` ${SIGNS[sign] ?? ''} `
  })
  return words.replaceAll(/\bwww\b/gi, 'w w w') + end
}

/**
 * Writes out what flite does not read as people speak it.
 * @param text Plain ASCII.
 */
export function writeOut(text: string): string {
  return text
    .replaceAll(ADDRESS, readAddress)
    .replaceAll(ISO_DATE, (whole, year: string, month: string, day: string) => dateOf(year, +month, +day) ?? whole)
    .replaceAll(SLASH_DATE, (whole, first: string, second: string, year: string) =>
      +first > 12 ? (dateOf(year, +second, +first) ?? whole) : (dateOf(year, +first, +second) ?? whole),
    )
    .replaceAll(LATIN, (latin: string) => (latin.toLowerCase() === 'e.g.' ? 'for example' : 'that is'))
    .replaceAll(VERSION, (_, version: string) => version.replaceAll('.', ' point '))
    .replaceAll(CLOCK_HOUR, (whole, hour: string, half?: string) => {
      if (half !== undefined) return hour + half
      return +hour > 0 && +hour < 13 ? `${hour} o'clock` : whole
    })
    .replaceAll(MERIDIEM, (_, half: string) => `${half.toUpperCase()}M`)
    .replaceAll(DECADE, (whole, century: string | undefined, ten: string) => {
      const name = TENS[+ten]
      if (name === undefined) return whole
      if (name !== '') return `${century ?? ''} ${name}`
      if (century === undefined) return whole
      return century === '20' ? 'two thousands' : `${century} hundreds`
    })
    .replaceAll(COINS, '$1 $3 $2')
    .replaceAll(RANGE, '$1 to $2')
    .replaceAll(MONEY, (_, money: string, unit: string) => `${money} ${AMOUNTS[unit.toLowerCase()]}`)
    .replaceAll(INITIALS, (_, left: string, right: string) => `${spaced(left)} and ${spaced(right)}`)
    .replaceAll(PAGE, (_, sign: string) => (sign === 'p' ? 'page ' : 'pages '))
    .replaceAll(NUMBER_SIGN, 'number ')
    .replaceAll(UNIT, (whole, digit: string, unit: string) => {
      const name = UNITS[unit.toLowerCase()]
      return name === undefined || (unit.length === 1 && unit === unit.toUpperCase()) ? whole : `${digit} ${name}`
    })
    .replaceAll(ABBREVIATION, (whole, word: string, at: number) => {
      const name = ABBREVIATIONS[word.toLowerCase()]
      if (name === undefined) return whole
      // A short word at the end of a sentence is that word: "the sun.", "for a min."
      const isEnd = at + whole.length >= text.length
      const isWord = word === word.toLowerCase() && WORDS.has(word)
      return isWord ? whole : isEnd ? `${name}.` : name
    })
}

/** Abbreviations that are words too: in lower case they are those. */
const WORDS = new Set([
  'sun',
  'sat',
  'mar',
  'may',
  'jan',
  'fig',
  'gen',
  'rep',
  'co',
  'mon',
  'max',
  'wed',
  'ms',
  'est',
  'col',
  'hon',
  'fri',
  'min',
])
