/** An unbreakable part of a text. */
export interface Word {
  readonly text: string
  /** Columns; see {@link columns}. */
  readonly width: number
  /** Columns of the space before the word, unless a line ends there: 0 or 1. */
  readonly gap: 0 | 1
}

const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\u30FB\u30FC\uFF01-\uFF60`
/** Scripts without spaces between words. */
const NEEDS_SEGMENTER = new RegExp(
  String.raw`[${UNSPACED}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`,
  'u',
)
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}]$`, 'u')
const WIDE = new RegExp(
  String.raw`(?![\uFF61-\uFFDC])[${UNSPACED}\p{Script=Hangul}\uFFE0-\uFFE6\p{Emoji_Presentation}]`,
  'u',
)
const OPENING = /^[\p{Ps}\p{Pi}]+$/u
const ASCII = /^[\u0020-\u007E]*$/
const LINE_END = /[\n\v\f\r\u0085\u2028\u2029]+/u
/** Spaces and control characters, except non-breaking spaces. */
const SPACE = /(?:(?![\u00A0\u202F])[\s\p{Cc}])+/u

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wordFinder = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * Width of a text in columns. A column is one displayed character. A character of Chinese, Japanese or Korean and an
 * emoji count as two.
 */
export function columns(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** Lines of a text, with single spaces, without blank lines and control characters. */
export function linesOf(text: string): string[] {
  return text
    .split(LINE_END)
    .map((line) => spaced(line).join(' '))
    .filter((line) => line.trim() !== '')
}

/**
 * The words of lines. In scripts without spaces, a dictionary finds the words. Punctuation stays with its word. A word
 * wider than `maxWidth` is cut between displayed characters.
 */
export function wordsOf(lines: readonly string[], maxWidth: number): Word[] {
  const words: Word[] = []
  for (const [index, line] of lines.entries()) {
    const joins = index > 0 && BEGINS_UNSPACED.test(line) && ENDS_UNSPACED.test(words.at(-1)?.text ?? '')
    for (const [place, spelled] of spaced(line).entries()) {
      const parts = unspaced(spelled).flatMap((part) => cut(part, maxWidth))
      const parted = place > 0 || (index > 0 && !joins)
      for (const [part, text] of parts.entries()) {
        words.push({ text, width: columns(text), gap: parted && part === 0 ? 1 : 0 })
      }
    }
  }
  return words
}

function spaced(line: string): string[] {
  return line.split(SPACE).filter((word) => word !== '')
}

function unspaced(spelled: string): string[] {
  if (!NEEDS_SEGMENTER.test(spelled)) return [spelled]
  const parts: string[] = []
  let opening = ''
  for (const { segment, isWordLike } of wordFinder.segment(spelled)) {
    if (OPENING.test(segment)) opening += segment
    else if (isWordLike === true || parts.length === 0 || opening !== '') {
      parts.push(opening + segment)
      opening = ''
    } else parts.push(`${parts.pop() ?? ''}${segment}`)
  }
  if (opening !== '') parts.push(`${parts.pop() ?? ''}${opening}`)
  return parts
}

function cut(word: string, maxWidth: number): string[] {
  if (columns(word) <= maxWidth) return [word]
  const parts: string[] = []
  let part = ''
  let width = 0
  for (const { segment } of graphemes.segment(word)) {
    const more = columns(segment)
    if (part !== '' && width + more > maxWidth) {
      parts.push(part)
      part = ''
      width = 0
    }
    part += segment
    width += more
  }
  return [...parts, part]
}

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
  const ends = balance(maxColumns, (limit) => runs(words, (from) => cueEnd(words, from, shape, limit)))
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
