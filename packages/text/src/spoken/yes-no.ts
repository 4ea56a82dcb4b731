/** The words for yes and no. */
export type YesNo = readonly [yes: string, no: string]

/** By language. */
const WORDS: Readonly<Record<string, YesNo>> = {
  cs: ['ano', 'ne'],
  da: ['ja', 'nej'],
  de: ['ja', 'nein'],
  el: ['ναι', 'όχι'],
  en: ['yes', 'no'],
  es: ['sí', 'no'],
  fi: ['kyllä', 'ei'],
  fr: ['oui', 'non'],
  hu: ['igen', 'nem'],
  it: ['sì', 'no'],
  ja: ['はい', 'いいえ'],
  ko: ['예', '아니요'],
  nb: ['ja', 'nei'],
  nl: ['ja', 'nee'],
  no: ['ja', 'nei'],
  pl: ['tak', 'nie'],
  pt: ['sim', 'não'],
  ro: ['da', 'nu'],
  ru: ['да', 'нет'],
  sv: ['ja', 'nej'],
  tr: ['evet', 'hayır'],
  uk: ['так', 'ні'],
  zh: ['是', '否'],
}

const YES = /^(?:[✅✔✓☑]\uFE0F?|:(?:white_check_mark|heavy_check_mark|ballot_box_with_check):)/u
const NO = /^(?:[❌✖✗✘✕❎]\uFE0F?|:(?:x|heavy_multiplication_x|negative_squared_cross_mark):)/u

/** The words of a language, English for one without an entry. */
export function yesNoOf(language: string | undefined): YesNo {
  const [base = ''] = (language ?? 'en').toLowerCase().split(/[-_]/)
  return (Object.hasOwn(WORDS, base) ? WORDS[base] : undefined) ?? ['yes', 'no']
}

/** The word of the mark that a table cell begins with, such as ✅ or ❌, and the text behind it. */
export function leadingMark(
  shown: string,
  [yes, no]: YesNo,
): { readonly word: string; readonly rest: string } | undefined {
  const text = shown.trim()
  for (const [pattern, word] of [[YES, yes] as const, [NO, no] as const]) {
    const mark = pattern.exec(text)?.[0]
    if (mark !== undefined) return { word, rest: text.slice(mark.length) }
  }
  return undefined
}
