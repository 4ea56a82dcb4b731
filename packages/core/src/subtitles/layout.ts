import type { Word } from './words.ts'

/** Limits of one cue. */
export interface Shape {
  /** Columns of a line. */
  readonly maxWidth: number
  readonly maxLines: number
  /** Reserved columns of the first line, e.g. for the speaker's name. */
  readonly reserved: number
}

/** End index of each run of words. The last run ends with the words. */
type Ends = readonly number[]

/**
 * Splits words into as few cues as possible, of about the same length. The last cue does not get a single word.
 * @param maxColumns Most columns of a cue, spaces included. A single word may have more.
 */
export function splitIntoCues(words: readonly Word[], shape: Shape, maxColumns: number): Word[][] {
  const ends = balance(maxColumns, (columns) => runs(words, (from) => cueEnd(words, from, shape, columns)))
  return slices(words, ends)
}

/** Splits the words of a cue into as few lines as possible, of about the same length. */
export function splitIntoLines(words: readonly Word[], { maxWidth, reserved }: Shape): string[] {
  const ends = balance(maxWidth, (width) =>
    runs(words, (from) => cueEnd(words, from, { maxWidth: width, maxLines: 1, reserved: from === 0 ? reserved : 0 })),
  )
  return slices(words, ends).map((line) => {
    const [first, ...rest] = line
    return rest.reduce((text, word) => `${text}${word.gap === 1 ? ' ' : ''}${word.text}`, first?.text ?? '')
  })
}

/** The end of a full cue that begins at `from`. It has at least one word. */
function cueEnd(words: readonly Word[], from: number, shape: Shape, maxColumns = Infinity): number {
  let lines = 1
  let line = shape.reserved
  let total = 0
  for (let at = from; at < words.length; at += 1) {
    const { width = 0, gap = 0 } = words[at] ?? {}
    total += gap + width
    if (at === from) line += width
    else if (total > maxColumns) return at
    else if (line + gap + width <= shape.maxWidth) line += gap + width
    else {
      lines += 1
      line = width
      if (lines > shape.maxLines) return at
    }
  }
  return words.length
}

function runs(words: readonly Word[], end: (from: number) => number): Ends {
  const ends: number[] = []
  for (let from = 0; from < words.length; from = ends.at(-1) ?? words.length) ends.push(end(from))
  return ends
}

/** Fills with the narrowest limit that needs no more runs than the widest one. The runs get similar lengths. */
function balance(widest: number, fill: (limit: number) => Ends): Ends {
  let best = fill(widest)
  let low = 1
  let high = Math.ceil(widest)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const ends = fill(middle)
    if (ends.length > best.length) low = middle + 1
    else {
      best = ends
      high = middle
    }
  }
  return best
}

function slices(words: readonly Word[], ends: Ends): Word[][] {
  return ends.map((end, index) => words.slice(ends[index - 1] ?? 0, end))
}
