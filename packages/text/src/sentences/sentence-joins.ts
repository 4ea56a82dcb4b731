const LAST_WORD = /([\p{L}\p{N}°.]+)\.$/u
/** The letters and words of an abbreviation with spaces, "z. B." */
const SPACED = /(?<![\p{L}\p{N}])((?:\p{L}\.\s?){1,2}\p{L}{1,3}\.)$/u
const SPACED_NEXT = /^\s*\p{L}{1,3}\./u
const INITIALS = /^(?:\p{Lu}\.)*\p{Lu}$/u
const NEXT_INITIAL = /^\s*\p{Lu}\./u
/** "1.", "1.)", "a)", "• 9.": the start of a list item. */
const LIST_MARKER = /^\s*(?:[•⁃‣◦▪·–-]\s?)?(?:\d{1,3}|\p{L})(?:\.\)?|\))[^\S\n\r]+$/u
const QUOTED_END = /[!?]["'”’“‘»«)\]]*$/u
const ENDED = /[.!?…。！？]["'”’“‘»«)\]]*$/u
/** Punctuation that belongs to the previous sentence. A quotation mark closes if no word follows. */
const CLOSES = /^\s*(?:[,;:!?)\]}」』】》〉）］｝、。，！？]|\.(?!\s?\.)|["'”’“‘»«›‹](?![\p{L}\p{N}]))/u
/** Punctuation that belongs to the next sentence. A quotation mark opens after a space. */
const OPENS = /(?:[([{「『【《〈（［｛„‚¿¡]|(?:^|[\s([])["'“‘«»‹›])\s*$/u
/** A letter directly after the end: "Y!J", "!Xun". Scripts without spaces continue like this. */
const NO_SPACE = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}])[\p{L}\p{N}]/u
/** Three dots with a space before each: an omission inside the sentence. */
const SPACED_ELLIPSIS = /[^.\s]\s\.\s\.\s\.$/u
/** An unclosed title of a book or a film. */
const IN_TITLE = /《[^》]{0,60}$/u
const CITED = /["'”’]$/u
const GERMAN_ARTICLE =
  /(?:^|\s)(?:d(?:er|ie|as|en|em|es)|am|im|vom|zum|zur|beim|ab|bis|seit|jede[rsnm]?|eine?[rnms]?|de[nm]|ihre?[rnms]?|seine?[rnms]?)\s+\d{1,2}\.$/iu

/** Characters to check at the end of a sentence. A longer word is not an abbreviation. The limit bounds the time. */
const END_LENGTH = 60

/**
 * Whether a sentence continues at a cut of `Intl.Segmenter`: after abbreviations ("Dr. Smith"), initials ("J. R. R."),
 * list markers ("1. First"), exclamations within a sentence ("“No!” he said", "Yahoo! in"), before closing and behind
 * opening punctuation, and in wrapped lines, which begin in lower case. If a full stop is ambiguous, as in "vitamin C.
 * It", a word that usually begins sentences decides. Only the first word of `after` counts. In streamed text, the
 * answer is final when that word is complete.
 *
 * @param before The sentence before the cut, or its last segment, with its trailing white space.
 * @param after The text after the cut.
 * @param opening Whether the sentence begins with `before`.
 * @param language Its abbreviations apply in addition to the English ones, e.g. `de`.
 */
export function goesOn(before: string, after: string, opening: boolean, language: string): boolean {
  const breaks = lineBreaks(before)
  if (breaks > 1) return false
  const end = before.trimEnd().slice(-END_LENGTH)
  if (
    CLOSES.test(after) ||
    OPENS.test(end) ||
    !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(end) ||
    IN_TITLE.test(end)
  )
    return true
  const lowerCase = /^\s*\p{Ll}/u.test(after)
  if (breaks === 1 && !ENDED.test(end)) return lowerCase
  if (opening && LIST_MARKER.test(before)) return true
  if (before === before.trimEnd() && /[.!?]$/.test(end) && NO_SPACE.test(after)) return true
  if (QUOTED_END.test(end)) return lowerCase
  if (SPACED_ELLIPSIS.test(end)) return true
  if (CITED.test(end) && /^\s*\(/.test(after)) return true
  const last = LAST_WORD.exec(end)?.[1]
  return last !== undefined && abbreviates(last, end, after, language)
}

/** Number of line ends in the trailing white space of a text. Two or more end a paragraph. */
export function lineBreaks(text: string): number {
  const space = text.slice(text.trimEnd().length)
  // a paragraph separator counts as an empty line
  return space.match(/\r\n|[\n\r\u0085\u2028]/g)?.length ?? (space.includes('\u2029') ? 2 : 0)
}

function abbreviates(last: string, end: string, after: string, language: string): boolean {
  const word = last.toLowerCase()
  const next = /^\s*(\p{Lu}[\p{L}\p{N}]*)/u.exec(after)?.[1]?.toLowerCase()
  if (isAlways(word, language)) return true
  if (abbreviatesNumber(word, language) && /^\s*\p{N}/u.test(after)) return true
  if (/^[ap]\.m$/.test(word)) return next !== undefined && (AFTER_HOUR.has(next) || (last === word && TITLES.has(next)))
  if (/^\d{1,2}$/.test(word)) return GERMAN_ORDINALS.test(after) || isGermanOrdinal(end, next, language)
  if (language === 'de' && spacedAbbreviation(end, after, next)) return true
  if (!IN_NAMES.has(word) && (!INITIALS.test(last) || (last === 'I' && !isMiddleInitial(end)))) return false
  return NEXT_INITIAL.test(after) || (next !== undefined && !STARTERS.has(next))
}

function isAlways(word: string, language: string): boolean {
  return ALWAYS['en']?.has(word) === true || ALWAYS[language]?.has(word) === true
}

/** "der 3. Mann": a noun follows the number, and an article precedes it. */
function isGermanOrdinal(end: string, next: string | undefined, language: string): boolean {
  return language === 'de' && next !== undefined && !STARTERS.has(next) && GERMAN_ARTICLE.test(end)
}

/** "z. B." and similar abbreviations: the first part, or all of it. */
function spacedAbbreviation(end: string, after: string, next: string | undefined): boolean {
  const whole = SPACED.exec(end)?.[1]?.replaceAll(/\s/g, '').slice(0, -1).toLowerCase()
  if (whole !== undefined && isAlways(whole, 'de')) return true
  if (whole !== undefined && MAY_END['de']?.has(whole) === true) return next !== undefined && !STARTERS.has(next)
  return /(?<![\p{L}\p{N}])\p{Ll}\.$/u.test(end) && SPACED_NEXT.test(after)
}

/** "Albert I. Jones", not "So do I." */
function isMiddleInitial(end: string): boolean {
  return /\S\s+\p{Lu}\p{Ll}+\s+I\.$/u.test(end)
}

/**
 * Words whose full stop does not end a sentence: titles, and words before a name or an explanation. The English ones
 * apply to every language.
 */
const ALWAYS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(
    'adm brig capt cmdr col cpl dr e.g esp gen gov hon i.e lt maj messrs mlle mme mr mrs ms mt pres prof rep rev sen ' +
      'sgt viz vs',
  ),
  de: words(
    'allg ausschl bes bspw bzgl bzw d.h d.i dipl dt ehem einschl engl entspr ev evang evtl exkl franz frl geb gegr ggf ' +
      'griech habil hl hr i.a i.d.r ing inkl insb ital jur kath lat m.a.w m.e med n.chr nat o.g phil rer röm s.o s.u sog ' +
      'stellv u.u urspr v.a v.chr verh vgl z.b z.hd z.t z.z zzgl',
  ),
  es: words('d dra excmo sra srta ud uds'),
  fr: words('m mm p.ex'),
  it: words('dott ing sig'),
}

/** Two-part abbreviations. They end a sentence only before one of the {@link STARTERS}. */
const MAY_END: Readonly<Record<string, ReadonlySet<string>>> = {
  de: words('o.ä u.a u.ä u.v.m'),
}

/** Words whose full stop does not end a sentence before a number: "No. 5", "Jan. 3". */
const BEFORE_NUMBER: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(
    'abs approx art c ca ch fig figs n° no nos nr núm p pp sec vol jan feb mar apr jun jul aug sep sept oct okt nov dec dez',
  ),
  de: words('abb bd kap s str tel ziff'),
}

/** Words of names. Their full stop ends a sentence only before one of the {@link STARTERS}. */
const IN_NAMES: ReadonlySet<string> = words('bros co corp fr inc jr ltd sr st')

/** Words that usually begin a sentence if capitalized. */
const STARTERS: ReadonlySet<string> = words(
  'a after all an and as at but by for from he her here his how however i if in is it its let my no not now of on one ' +
    'or our she so some that the their then there these they this those to we what when where who why with yes you your ' +
    'aber das der die doch ein eine er es ich im sie und wir',
)

/** Words after "a.m." in the same sentence: a day, a month, a time zone. */
const AFTER_HOUR: ReadonlySet<string> = words(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
    'september october november december est edt cst cdt mst mdt pst pdt et ct pt utc gmt bst cet',
)

/** Titles, of {@link ALWAYS}. */
const TITLES: ReadonlySet<string> = words('dr gen gov lt mr mrs ms mt prof rep rev sen sgt')

/** German nouns after an ordinal number: "Das 20. Jahrhundert". */
const GERMAN_ORDINALS: RegExp =
  /^[\s–-]*(?:\d{1,2}\.\s*)?(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhunderts?|Jahrtausends?|Jh|Jahrestag|Geburtstag|Lebensjahr|Weltkrieg|Stock|Etage|Klasse|Platz|Mal|Kapitel|Auflage|Spieltag|Runde|Bezirk|Semester)(?![\p{L}\p{N}])/u

/** Whether the full stop of a word belongs to the number after it. */
export function abbreviatesNumber(word: string, language: string): boolean {
  return BEFORE_NUMBER['en']?.has(word) === true || BEFORE_NUMBER[language]?.has(word) === true
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
