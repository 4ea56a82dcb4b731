import { besidePause, hidePauses } from './hidden-pauses.ts'
import { ENDS } from './text-unit.ts'

/** A comma or a similar mark. In Chinese and Japanese it needs no space after it. */
const CLAUSE = /[,;:–—،؛](?=\s)|[，、；：]/g
const SPACE = /\s+/g

/**
 * Chooses the cut of a sentence longer than the limit: after its last comma within the limit, else at white space, else
 * between two displayed characters. Never inside a pause marker.
 */
export function cutLong(text: string, limit: number): { length: number; end: number } {
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
