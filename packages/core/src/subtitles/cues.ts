import { InvalidRequestError } from '../errors.ts'
import { readPieces, type SubtitlePiece, type SubtitleSource } from './pieces.ts'
import { columns, linesOf, type Shape, splitIntoCues, splitIntoLines, wordsOf } from './words.ts'

/** Options of {@link toCues}. */
export interface CueOptions {
  /**
   * Longest line, at least 4. A character of Chinese, Japanese or Korean and an emoji count as two.
   * @default 42
   */
  readonly maxCharactersPerLine?: number
  /** Maximum lines of a cue. @default 2 */
  readonly maxLines?: number
  /** Longest time of a cue, in seconds. A longer piece becomes several cues. @default 7 */
  readonly maxCueSeconds?: number
  /** Shortest time of a cue, in seconds, unless the next cue begins earlier. @default 1 */
  readonly minCueSeconds?: number
}

/** A text on the screen, its lines separated by `\n`. Its times are whole milliseconds. `end` is after `start`. */
export interface SubtitleCue extends SubtitlePiece {}

interface Limits {
  readonly maxWidth: number
  readonly maxLines: number
  readonly maxMs: number
  readonly minMs: number
}

/**
 * Makes readable cues of pieces, ordered by start, then by end. A long piece becomes several cues, which share its time
 * by their length. A piece whose lines fit preserves them, so cues can be passed in again. Rounding to milliseconds
 * creates no overlap. Pieces that overlap, e.g. speech of two people at once, still do.
 * @throws InvalidRequestError for text without segments, invalid times and invalid options
 */
export function toCues(source: SubtitleSource, options: CueOptions = {}): SubtitleCue[] {
  return makeCues(source, options, () => 0)
}

/** @param reserved Columns that each cue of a piece reserves on its first line */
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
 * The earliest start of the next cue. Each cue lasts at least a millisecond, so rounding may delay the end of a piece.
 * Later pieces are then delayed too.
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

  /** @param until End of the last cue of this piece, in milliseconds */
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
  // A prefix of more than half a line is added on top. The rest would be too short for a line.
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

/** Lengthens short cues, up to the next one. */
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
    'an integer of at least 4',
  )
  check('maxLines', Number.isInteger(maxLines) && maxLines >= 1, 'a positive integer')
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
