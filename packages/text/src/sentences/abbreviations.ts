/**
 * Words whose full stop does not end a sentence: titles, and words before a name or an explanation. The English ones
 * apply to every language.
 */
export const ALWAYS: Readonly<Record<string, ReadonlySet<string>>> = {
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
export const MAY_END: Readonly<Record<string, ReadonlySet<string>>> = {
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
export const IN_NAMES: ReadonlySet<string> = words('bros co corp fr inc jr ltd sr st')

/** Words that usually begin a sentence if capitalized. */
export const STARTERS: ReadonlySet<string> = words(
  'a after all an and as at but by for from he her here his how however i if in is it its let my no not now of on one ' +
    'or our she so some that the their then there these they this those to we what when where who why with yes you your ' +
    'aber das der die doch ein eine er es ich im sie und wir',
)

/** Words after "a.m." in the same sentence: a day, a month, a time zone. */
export const AFTER_HOUR: ReadonlySet<string> = words(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
    'september october november december est edt cst cdt mst mdt pst pdt et ct pt utc gmt bst cet',
)

/** Titles, of {@link ALWAYS}. */
export const TITLES: ReadonlySet<string> = words('dr gen gov lt mr mrs ms mt prof rep rev sen sgt')

/** German nouns after an ordinal number: "Das 20. Jahrhundert". */
export const GERMAN_ORDINALS: RegExp =
  /^[\s–-]*(?:\d{1,2}\.\s*)?(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhunderts?|Jahrtausends?|Jh|Jahrestag|Geburtstag|Lebensjahr|Weltkrieg|Stock|Etage|Klasse|Platz|Mal|Kapitel|Auflage|Spieltag|Runde|Bezirk|Semester)(?![\p{L}\p{N}])/u

/** Whether the full stop of a word belongs to the number after it. */
export function abbreviatesNumber(word: string, language: string): boolean {
  return BEFORE_NUMBER['en']?.has(word) === true || BEFORE_NUMBER[language]?.has(word) === true
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
