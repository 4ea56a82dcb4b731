import { InvalidRequestError } from '../errors/request-errors.ts'
import { type Shape, splitIntoCues, splitIntoLines } from './layout.ts'
import { readPieces, type SubtitlePiece, type SubtitleSource } from './pieces.ts'
import { columns, linesOf, wordsOf } from './words.ts'

/** How text becomes cues. */
export interface CueOptions {
  /**
   * Longest line, at least 4. A character of Chinese, Japanese or Korean and an emoji count as two.
   * @default 42
   */
  readonly maxCharactersPerLine?: number
  /** Most lines of a cue. @default 2 */
  readonly maxLines?: number
  /** Longest time that a cue is shown, in seconds; a longer piece becomes several. @default 7 */
  readonly maxCueSeconds?: number
  /** Shortest time that a cue is shown, in seconds, as far as the next one leaves room. @default 1 */
  readonly minCueSeconds?: number
}

/** A text on the screen, its lines parted by `\n`. Its times are whole milliseconds, and `end` is after `start`. */
export interface SubtitleCue extends SubtitlePiece {}

interface Limits {
  readonly maxWidth: number
  readonly maxLines: number
  readonly maxMs: number
  readonly minMs: number
}

/**
 * Pieces as readable cues, in order of their start, then their end. A long piece becomes several, which share its time by their length;
 * one whose own lines fit keeps them, so that cues can be given again. Rounding to milliseconds makes no overlap; pieces
 * that overlap, as people who talk at once do, still do.
 * @throws InvalidRequestError for text without segments, for impossible times and for impossible options
 */
export function toCues(source: SubtitleSource, options: CueOptions = {}): SubtitleCue[] {
  return makeCues(source, options, () => 0)
}

/** @param reserved Columns that each cue of a piece needs on its first line for something else. */
export function makeCues(
  source: SubtitleSource,
  options: CueOptions,
  reserved: (piece: SubtitlePiece) => number,
): SubtitleCue[] {
  const limits = readLimits(options)
  const cues: Timed[] = []
  const floor = new Floor()
  for (const piece of readPieces(source)) {
    const made = divide(piece, floor.startOf(piece), limits, reserved(piece))
    floor.pass(piece, made.at(-1)?.until ?? 0)
    cues.push(...made)
  }
  return lengthen(
    cues.toSorted((a, b) => a.from - b.from || a.until - b.until),
    limits.minMs,
  )
}

/** A cue whose times are whole milliseconds. */
interface Timed {
  readonly from: number
  readonly until: number
  readonly text: string
  readonly piece: SubtitlePiece
}

/**
 * Where cues may start. Rounding may push the end of a piece on, as each cue lasts a millisecond at least; what comes
 * after that piece is pushed on too.
 */
class Floor {
  #ms = 0
  #ahead: readonly { readonly end: number; readonly until: number }[] = []

  /** Pieces must come in order of their start. */
  startOf({ start }: SubtitlePiece): number {
    for (const { end, until } of this.#ahead) if (end <= start) this.#ms = Math.max(this.#ms, until)
    this.#ahead = this.#ahead.filter(({ end }) => end > start)
    return Math.max(toMs(start), this.#ms)
  }

  /** @param until Where the last cue of this piece ends, in milliseconds. */
  pass({ end }: SubtitlePiece, until: number): void {
    if (until > toMs(end)) this.#ahead = [...this.#ahead, { end, until }]
  }
}

function divide(piece: SubtitlePiece, start: number, limits: Limits, wanted: number): Timed[] {
  const lines = linesOf(piece.text)
  if (lines.length === 0) return []
  const { maxWidth, maxLines, maxMs } = limits
  const end = Math.max(toMs(piece.end), start + 1)
  const duration = end - start
  // Something longer than half a line comes on top of it: what is left would be no line to read.
  const shape: Shape = { maxWidth, maxLines, reserved: wanted * 2 > maxWidth ? 0 : wanted }
  if (duration <= maxMs && fits(lines, shape)) return [{ from: start, until: end, text: lines.join('\n'), piece }]
  const words = wordsOf(lines, maxWidth - shape.reserved)
  const total = words.reduce((sum, { gap, width }) => sum + gap + width, 0)
  let from = start
  let before = 0
  return splitIntoCues(words, shape, Math.min(total, (total * maxMs) / duration)).map((cue) => {
    before += cue.reduce((sum, { gap, width }) => sum + gap + width, 0)
    const next = Math.max(start + Math.round((duration * before) / total), from + 1)
    const timed = { from, until: Math.min(next, from + maxMs), text: splitIntoLines(cue, shape).join('\n'), piece }
    from = next
    return timed
  })
}

function fits(lines: readonly string[], { maxWidth, maxLines, reserved }: Shape): boolean {
  return (
    lines.length <= maxLines && lines.every((line, index) => columns(line) + (index === 0 ? reserved : 0) <= maxWidth)
  )
}

/** Shows short cues longer, up to the next one. */
function lengthen(cues: readonly Timed[], minMs: number): SubtitleCue[] {
  return cues.map(({ from, until, text, piece }, index) => {
    const room = Math.min(from + minMs, cues[index + 1]?.from ?? Infinity)
    const { speaker } = piece
    const named = typeof speaker === 'string' && speaker.trim() !== '' ? { speaker } : {}
    return { start: from / 1000, end: Math.max(until, room) / 1000, text, ...named }
  })
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1000)
}

function readLimits(options: CueOptions): Limits {
  const { maxCharactersPerLine = 42, maxLines = 2 } = options
  const { maxCueSeconds = Math.max(7, options.minCueSeconds ?? 0) } = options
  const { minCueSeconds = Math.min(1, maxCueSeconds) } = options
  check(
    'maxCharactersPerLine',
    Number.isInteger(maxCharactersPerLine) && maxCharactersPerLine >= 4,
    'a whole number of at least 4',
  )
  check('maxLines', Number.isInteger(maxLines) && maxLines >= 1, 'a whole number of at least 1')
  check(
    'maxCueSeconds',
    typeof maxCueSeconds === 'number' && maxCueSeconds >= 0.001,
    'a number of seconds of at least 0.001',
  )
  check(
    'minCueSeconds',
    minCueSeconds >= 0 && minCueSeconds <= maxCueSeconds,
    'a number of seconds from 0 to maxCueSeconds',
  )
  return { maxWidth: maxCharactersPerLine, maxLines, maxMs: toMs(maxCueSeconds), minMs: toMs(minCueSeconds) }
}

function check(option: keyof CueOptions, fine: boolean, rule: string): void {
  if (!fine) throw new InvalidRequestError('invalid_range', option, `must be ${rule}`)
}
