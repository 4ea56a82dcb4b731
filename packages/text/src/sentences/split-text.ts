import { SentenceScanner } from './sentence-scanner.ts'
import { checkSplit, type SplitOptions } from './split-options.ts'
import { ENDS, type TextUnit } from './text-unit.ts'

/** A piece of a text, to be spoken in one request. */
export interface TextPiece {
  readonly text: string
  /** Whether it ends a paragraph. */
  readonly endsParagraph: boolean
}

/**
 * Splits a text into pieces within a limit: as long as they can be, cut at the end of a paragraph where there is one,
 * else of a sentence, else behind a comma, else at white space. Abbreviations, initials and pause markers are not cut.
 * Only white space at the cuts is lost.
 *
 * @throws TextOptionError naming the option
 */
export function splitText(text: string, options: SplitOptions = {}): string[] {
  return textPieces(text, options).map((piece) => piece.text)
}

/**
 * Splits a text into sentences; one that is longer than the limit, or than 2,000 characters, is cut as in
 * {@link splitText}.
 *
 * @throws TextOptionError naming the option
 */
export function splitSentences(text: string, options: SplitOptions = {}): string[] {
  return sentencesOf(text, options).map((unit) => unit.text)
}

/** The pieces of {@link splitText} with what ends them. */
export function textPieces(text: string, options: SplitOptions): TextPiece[] {
  const { maxCharacters } = checkSplit(options)
  const pieces: TextPiece[] = []
  let held: TextUnit[] = []
  const cut = (count: number): void => {
    const [first, last] = [held[0], held[count - 1]]
    if (first === undefined || last === undefined) return
    const piece = text.slice(first.start, last.start + last.text.length)
    pieces.push({ text: piece, endsParagraph: last.end === ENDS.paragraph })
    held = held.slice(count)
  }
  for (const unit of sentencesOf(text, options)) {
    const end = unit.start + unit.text.length
    // At most four times for a unit: what is left behind the best cut has only cuts of a lower rank.
    while (held[0] !== undefined && end - held[0].start > maxCharacters) cut(bestCut(held))
    held.push(unit)
  }
  cut(held.length)
  return pieces
}

function sentencesOf(text: string, options: SplitOptions): TextUnit[] {
  const scanner = new SentenceScanner(checkSplit(options))
  return [...scanner.push(text), ...scanner.end()]
}

/** How many units stand before the best of the cuts behind them, the last one among equals. */
function bestCut(units: readonly TextUnit[]): number {
  let [best, count] = [-1, 0]
  for (const [index, unit] of units.entries()) {
    if (unit.end >= best) [best, count] = [unit.end, index + 1]
  }
  return count
}
