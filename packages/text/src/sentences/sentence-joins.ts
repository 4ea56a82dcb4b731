/**
 * Words whose full stop never ends a sentence: titles, and what stands before a name or an explanation. The English ones
 * count in every language.
 */
const ALWAYS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(
    'adm brig capt cmdr col cpl dr e.g esp gen gov hon i.e lt maj messrs mlle mme mr mrs ms mt pres prof rep rev sen ' +
      'sgt viz vs',
  ),
  de: words('bspw bzw d.h evtl frl geb ggf hr o.ä sog u.a vgl z.b'),
  es: words('d dra excmo sra srta ud uds'),
  fr: words('m mm p.ex'),
  it: words('dott ing sig'),
}

/** Words whose full stop ends no sentence when a number follows: "No. 5", "Jan. 3". */
const BEFORE_NUMBER = words(
  'abs approx art c ca ch fig figs no nos nr núm p pp sec vol jan feb mar apr jun jul aug sep sept oct okt nov dec dez',
)

/** Words of names: their full stop ends a sentence only before one of the {@link STARTERS}. */
const IN_NAMES = words('bros co corp fr inc jr ltd sr st')

/** Words that mostly begin a sentence when they are capitalized. */
const STARTERS = words(
  'a after all an and as at but by for from he her here his how however i if in is it its let my no not now of on one ' +
    'or our she so some that the their then there these they this those to we what when where who why with yes you your',
)

/** German dates: the stop behind "3." makes an ordinal of it. */
const GERMAN_MONTH =
  /^\s*(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b/

const LAST_WORD = /([\p{L}\p{N}.]+)\.$/u
const INITIALS = /^(?:\p{Lu}\.)*\p{Lu}$/u
const NEXT_INITIAL = /^\s*\p{Lu}\./u
const LIST_MARKER = /^\s*(?:\d{1,3}|\p{L})\.[^\S\n\r]+$/u
const QUOTED_END = /[!?]["'”’»)\]]+$/u
const ENDED = /[.!?…。！？]["'”’»)\]]*$/u

/** How much of a sentence's end is looked at: a longer word is no abbreviation, and no text can make this slow. */
const END_LENGTH = 40

/**
 * Whether a sentence goes on where `Intl.Segmenter` has cut it: after abbreviations ("Dr. Smith"), initials ("J. R. R."),
 * list markers ("1. First"), quoted exclamations ("“No!” he said") and in wrapped lines, which begin in lower case.
 * Where a full stop can mean both, as in "vitamin C. It", a word that mostly begins sentences decides. Only the first
 * word of `after` is looked at, so that in streamed text the answer is final once that word is whole.
 *
 * @param before The segment before the cut, with the white space behind it.
 * @param after What stands behind the cut.
 * @param opening Whether the sentence begins with `before`.
 * @param language Whose abbreviations count besides the English ones, e.g. `de`.
 */
export function goesOn(before: string, after: string, opening: boolean, language: string): boolean {
  const breaks = lineBreaks(before)
  if (breaks > 1) return false
  const end = before.trimEnd().slice(-END_LENGTH)
  const lowerCase = /^\s*\p{Ll}/u.test(after)
  if (breaks === 1 && !ENDED.test(end)) return lowerCase
  if (opening && LIST_MARKER.test(before)) return true
  if (QUOTED_END.test(end)) return lowerCase
  const last = LAST_WORD.exec(end)?.[1]
  return last !== undefined && abbreviates(last, after, language)
}

/** How many lines end in the white space at the end of a text; two or more end a paragraph. */
export function lineBreaks(text: string): number {
  const space = text.slice(text.trimEnd().length)
  // a paragraph separator counts as an empty line
  return space.match(/\r\n|[\n\r\u0085\u2028]/g)?.length ?? (space.includes('\u2029') ? 2 : 0)
}

function abbreviates(last: string, after: string, language: string): boolean {
  const word = last.toLowerCase()
  if (ALWAYS['en']?.has(word) || ALWAYS[language]?.has(word)) return true
  if (BEFORE_NUMBER.has(word) && /^\s*\p{N}/u.test(after)) return true
  if (/^\d{1,2}$/.test(word)) return GERMAN_MONTH.test(after)
  if (!IN_NAMES.has(word) && (!INITIALS.test(last) || last === 'I')) return false
  if (NEXT_INITIAL.test(after)) return true
  const next = /^\s*(\p{Lu}[\p{L}\p{N}]*)/u.exec(after)?.[1]
  return next !== undefined && !STARTERS.has(next.toLowerCase())
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
