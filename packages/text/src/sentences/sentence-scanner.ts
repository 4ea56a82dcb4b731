import { cutLong } from './cut-long.ts'
import { hidePauses, unfinishedPause } from './hidden-pauses.ts'
import { goesOn } from './sentence-joins.ts'
import { hiddenStart } from './sentence-starts.ts'
import type { CheckedSplit } from './split-options.ts'
import { ENDS, type TextUnit } from './text-unit.ts'

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
