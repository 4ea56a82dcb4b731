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
