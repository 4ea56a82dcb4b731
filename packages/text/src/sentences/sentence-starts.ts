import { abbreviatesNumber } from './abbreviations.ts'

/** "large.[7][8] This": a footnote mark after the full stop. */
const NOTED = /[.!?]["'”’)\]]*(?:\[\d{1,4}(?:,\s?\d{1,4})*\])+\s+(?=["“‘'(]?\p{Lu})/gu
/** "consultation.11 12 Take": a superscript number, not raised in plain text. */
const NUMBERED = /(?<=(\p{L}{2,20}|\)))\.\d{1,3}(?:[ ,]\d{1,3})*\s+(?=\p{Lu})/gu
/** A full stop of Chinese and Japanese that `Intl.Segmenter` treats as a decimal point. */
const WIDE_STOP = /[．｡][」』）)]*(?=[^\s\d．」』）)])\s*/gu
/** "compounds. . . . The": the full stop, then an omission. */
const STOP_AND_ELLIPSIS = /(?<=\p{L})\.\s(?=\.\s\.\s\.\s+\S)/gu
/** "« Bonjour ! » Il part.": French puts a space before the closing mark. */
const SPACED_QUOTE = /[.!?…]\s[»›]\s+(?=\p{Lu})/gu
/** The start of a list item on one line: a bullet, brackets, a number or a letter. */
const ITEM = /^\s*(?<bullet>[•⁃‣◦▪·]\s?)?(?<open>\(?)(?<mark>\d{1,3}|[a-y])(?<close>\.\)|\.|\))\s+\S/u

/**
 * Finds the first sentence start that `Intl.Segmenter` misses: after footnote marks, and at the next item of a list on
 * one line ("1. One 2. Two").
 *
 * @param isCertain Whether enough text follows an index.
 */
export function hiddenStart(text: string, language: string, isCertain: (index: number) => boolean): number | undefined {
  const starts: number[] = []
  const add = (pattern: RegExp, accepts?: (match: RegExpExecArray) => boolean): void => {
    for (const match of text.matchAll(pattern)) {
      if (accepts?.(match) === false) continue
      starts.push(match.index + match[0].length)
      break
    }
  }
  if (/[\])\d]\s/.test(text)) {
    add(NOTED)
    add(NUMBERED, ([, word = '']) => !abbreviatesNumber(word.toLowerCase(), language))
  }
  add(WIDE_STOP)
  add(SPACED_QUOTE)
  if (text.includes('. . .')) add(STOP_AND_ELLIPSIS)
  const item = nextItem(text)
  if (item !== undefined) starts.push(item)
  const first = Math.min(...starts)
  return Number.isFinite(first) && first > 0 && isCertain(first) ? first : undefined
}

/** The start of the second list item of a text: it has the next number and the same marks. */
function nextItem(text: string): number | undefined {
  const { bullet, open, mark, close } = ITEM.exec(text)?.groups ?? {}
  if (mark === undefined) return undefined
  const next = /\d/.test(mark) ? String(Number(mark) + 1) : String.fromCodePoint((mark.codePointAt(0) ?? 0) + 1)
  // A number can appear anywhere in a sentence. Without a bullet or a bracket, a capital letter must follow.
  const marker = `${bullet?.trim() ?? ''}${bullet === undefined ? '' : '\\s?'}${open === '(' ? '\\(' : ''}${next}${(close ?? '').replaceAll(/[.)]/g, '\\$&')}`
  const found = new RegExp(`(?<=\\s)${marker}\\s+(?=[\\p{L}\\p{N}])`, 'u').exec(text)
  return found?.index
}
