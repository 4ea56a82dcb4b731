import { besidePause, hidePauses, unfinishedPause } from './pauses.ts'
import { abbreviatesNumber, goesOn } from './sentence-joins.ts'
import type { CheckedSplit } from './split-options.ts'

/** Longest sentence to wait for, in characters. */
const SENTENCE_MAX = 2000
/** Without one of these no sentence can have ended. */
const MAY_END = /[\p{Sentence_Terminal}\n\r\u0085\u2028\u2029]/u
const EMPTY_LINE = /(?:\r\n|\r(?!\n)|[\n\u0085\u2028])[^\S\n\r\u0085\u2028\u2029]*[\n\r\u0085\u2028]|\u2029/
/** Characters after a sentence to search for the word that decides whether the sentence ended. */
const LOOK_AHEAD = 256
/** Characters before a cut that decide whether the sentence continues. */
const LOOK_BEHIND = 100

/**
 * Finds the sentences of a text from chunks of any size. The result depends only on the text. It reads a window of at
 * most 2,256 characters, and makes a cut only when later text cannot move it. It therefore holds no more than the
 * window, and takes linear time.
 */
export class SentenceScanner {
  readonly #segmenter: Intl.Segmenter
  readonly #language: string
  /** Maximum characters of a unit. */
  readonly #limit: number
  #buffer = ''
  /** Where the buffer begins in the whole text. */
  #offset = 0

  constructor({ maxCharacters, locale }: CheckedSplit) {
    this.#segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' })
    this.#language = locale.slice(0, 2)
    this.#limit = Math.min(maxCharacters, SENTENCE_MAX)
  }

  /** Takes more text. @returns the units that are now certain */
  push(chunk: string): TextUnit[] {
    this.#buffer += chunk
    return this.#take(false)
  }

  /** Ends the text. Returns the remaining units. */
  end(): TextUnit[] {
    return this.#take(true)
  }

  #take(ended: boolean): TextUnit[] {
    const units: TextUnit[] = []
    let from = 0
    for (;;) {
      from = skipSpace(this.#buffer, from)
      const window = this.#buffer.slice(from, from + this.#limit + LOOK_AHEAD)
      const last = ended && from + window.length === this.#buffer.length
      const found = window === '' ? undefined : this.#first(window, last)
      if (found === undefined) break
      const text = window.slice(0, found.length).trimEnd()
      units.push({ text, start: this.#offset + from, end: found.end })
      from += found.length
    }
    this.#buffer = this.#buffer.slice(from)
    this.#offset += from
    return units
  }

  #first(window: string, last: boolean): { length: number; end: number } | undefined {
    const full = window.length === this.#limit + LOOK_AHEAD
    if (!full && !last && !MAY_END.test(window)) return undefined
    const visible = last ? window : window.slice(0, certainLength(window))
    const paragraph = paragraphEnd(visible)
    const text = hidePauses(visible.slice(0, paragraph), ' ')
    const found = this.#sentence(text, last || paragraph !== undefined)
    if (found === undefined && paragraph === undefined && !full && !last) return undefined
    const length = found ?? text.length
    if (visible.slice(0, length).trimEnd().length > this.#limit) return cutLong(visible, this.#limit)
    const end = found === undefined && paragraph !== undefined ? ENDS.paragraph : ENDS.sentence
    return { length, end }
  }

  /** The end of the first sentence that has certainly ended. */
  #sentence(text: string, last: boolean): number | undefined {
    const isCertain = (index: number): boolean => last || showsWord(text.slice(index))
    const found = this.#segmentEnd(text, isCertain)
    const within = found === undefined ? text : text.slice(0, found + LOOK_BEHIND)
    const hidden = hiddenStart(within, this.#language, isCertain)
    return hidden !== undefined && (found === undefined || hidden < found) ? hidden : found
  }

  /** The end of the first sentence found by `Intl.Segmenter`. */
  #segmentEnd(text: string, isCertain: (index: number) => boolean): number | undefined {
    for (const { segment, index } of this.#segmenter.segment(text)) {
      const start = Math.max(0, index - LOOK_BEHIND)
      const before = text.slice(start, index)
      if (segment.trim() === '' || before.trim() === '') continue
      if (!isCertain(index)) return undefined
      if (!goesOn(before, segment, start === 0, this.#language)) return index
    }
    return undefined
  }
}

/**
 * The end of the first paragraph, at an empty line. Pause markers alone are not a paragraph: they belong to the next
 * one.
 */
function paragraphEnd(text: string): number | undefined {
  const from = skipSpace(hidePauses(text, ' '), 0)
  const end = hidePauses(text, 'x').slice(from).search(EMPTY_LINE)
  return end < 0 ? undefined : from + end
}

/** The length that more text cannot change: without an incomplete pause marker or character. */
function certainLength(text: string): number {
  const length = unfinishedPause(text)
  return /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length
}

/** Whether a text contains a complete word. That word decides whether the text before it has ended. */
function showsWord(text: string): boolean {
  const start = text.search(/\p{L}/u)
  if (start < 0) return false
  const word = /[\p{L}\p{N}\p{M}\p{Cf}]+/uy
  word.lastIndex = start
  word.test(text)
  return word.lastIndex < text.length
}

function skipSpace(text: string, from: number): number {
  const space = /\s*/y
  space.lastIndex = from
  space.test(text)
  return space.lastIndex
}

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
function hiddenStart(text: string, language: string, isCertain: (index: number) => boolean): number | undefined {
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

/** A comma or a similar mark. In Chinese and Japanese it needs no space after it. */
const CLAUSE = /[,;:–—،؛](?=\s)|[，、；：]/g
const SPACE = /\s+/g

/**
 * Chooses the cut of a sentence longer than the limit: after its last comma within the limit, else at white space, else
 * between two displayed characters. Never inside a pause marker.
 */
function cutLong(text: string, limit: number): { length: number; end: number } {
  const head = hidePauses(text, 'x').slice(0, limit + 1)
  const clause = lastWithin(head, CLAUSE, (match) => match.index + 1, limit)
  if (clause > 0) return { length: clause, end: ENDS.clause }
  const space = lastWithin(head, SPACE, (match) => match.index, limit)
  if (space > 0) return { length: space, end: ENDS.cut }
  return { length: besidePause(text, graphemeStart(text, limit)), end: ENDS.cut }
}

function lastWithin(text: string, pattern: RegExp, place: (match: RegExpExecArray) => number, limit: number): number {
  let last = 0
  for (const match of text.matchAll(pattern)) if (place(match) <= limit) last = place(match)
  return last
}

function graphemeStart(text: string, limit: number): number {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)
  const start = graphemes.containing(limit)?.index ?? limit
  // A displayed character longer than the limit is cut, but never inside a surrogate pair.
  if (start > 0) return start
  return /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
}

/** Ends of a unit of text. A higher value is a better place to cut. */
export const ENDS = { cut: 0, clause: 1, sentence: 2, paragraph: 3 } as const

/** A sentence, or a part of a long sentence. */
export interface TextUnit {
  /** Without the white space around it. */
  readonly text: string
  /** Start in the whole text. */
  readonly start: number
  /** One of {@link ENDS}. */
  readonly end: number
}
