const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const SCALES: readonly (readonly [size: number, name: string])[] = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
]
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

/** Largest number that is written out. Longer ones are read digit by digit. */
const LIMIT = 1_000_000_000_000

const UNITS: Readonly<Record<string, string>> = { '%': 'percent', $: 'dollars', '€': 'euros', '£': 'pounds' }

/**
 * Writes the numbers of a token as a speaker says them, in English: `7:45` is "seven forty five", `1,234` "one thousand
 * two hundred thirty four", `2nd` "second", `$5` "five dollars". Any other token stays as it is.
 */
export function numberWords(token: string): string {
  const time = /^(\d{1,2}):(\d{2})$/.exec(token)
  if (time !== null) return clock(Number(time[1]), Number(time[2]))
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/i.exec(token)
  if (ordinal !== null) return toOrdinal(spoken(ordinal[1] ?? ''))
  const number = /^([$€£]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?(%?)$/.exec(token)
  if (number === null) return token
  const [, before = '', whole = '', decimals, after = ''] = number
  const words = [spoken(whole.replaceAll(',', ''))]
  if (decimals !== undefined) words.push('point', digits(decimals))
  const unit = UNITS[before] ?? UNITS[after]
  return [...words, ...(unit === undefined ? [] : [unit])].join(' ')
}

function clock(hours: number, minutes: number): string {
  if (minutes === 0) return cardinal(hours)
  return `${cardinal(hours)} ${minutes < 10 ? `oh ${cardinal(minutes)}` : cardinal(minutes)}`
}

/** Reads digits as one number. A number has fewer exact digits than a long text. */
function spoken(whole: string): string {
  return Number(whole) >= LIMIT ? digits(whole) : cardinal(Number(whole))
}

function cardinal(value: number): string {
  if (value < 20) return ONES[value] ?? ''
  if (value < 100) return join(TENS[Math.floor(value / 10)] ?? '', value % 10)
  if (value < 1000) return join(`${ONES[Math.floor(value / 100)] ?? ''} hundred`, value % 100)
  for (const [size, name] of SCALES) {
    if (value >= size) return join(`${cardinal(Math.floor(value / size))} ${name}`, value % size)
  }
  return String(value)
}

function join(first: string, rest: number): string {
  return rest === 0 ? first : `${first} ${cardinal(rest)}`
}

function digits(text: string): string {
  return Array.from(text, (digit) => ONES[Number(digit)] ?? digit).join(' ')
}

function toOrdinal(text: string): string {
  const words = text.split(' ')
  const last = words.pop() ?? ''
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return [...words, ordinal].join(' ')
}
