import { ENDS, SentenceScanner, type TextUnit } from './sentence-scanner.ts'
import { checkSplit, type SplitOptions } from './split-options.ts'

/** A piece of a text for one request. */
export interface TextPiece {
  /** The text of the piece, without spaces at its ends. */
  readonly text: string
  /** Whether it ends a paragraph. */
  readonly endsParagraph: boolean
}

/**
 * Splits a text into the longest pieces within a limit. It cuts at the end of a paragraph if possible, else of a
 * sentence, else after a comma, else at white space. It does not cut abbreviations, initials and pause markers. Only
 * white space at the cuts is lost.
 *
 * @throws TextOptionError naming the option
 */
export function splitText(text: string, options: SplitOptions = {}): string[] {
  return textPieces(text, options).map((piece) => piece.text)
}

/**
 * Splits a text into sentences. A sentence longer than the limit, or than 2,000 characters, is cut as in {@link
 * splitText}.
 *
 * @throws TextOptionError naming the option
 */
export function splitSentences(text: string, options: SplitOptions = {}): string[] {
  return sentencesOf(text, options).map((unit) => unit.text)
}

/** The pieces of {@link splitText}, with their kind of end. */
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
    // At most four times per unit: after the best cut, only cuts of a lower rank remain.
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

/** Number of units before the best cut. Among equal cuts the last one wins. */
function bestCut(units: readonly TextUnit[]): number {
  let [best, count] = [-1, 0]
  for (const [index, unit] of units.entries()) {
    if (unit.end >= best) [best, count] = [unit.end, index + 1]
  }
  return count
}

/** Splits a text while it is written. Holds at most about 2,300 characters. */
export interface TextSplitter {
  /** Takes more text. @returns the sentences that have certainly ended, in order */
  push(chunk: string): string[]
  /** Ends the text. @returns the remaining sentences */
  end(): string[]
}

/**
 * Splits streamed text, e.g. of a language model, into sentences. The result equals that of `splitSentences` for the
 * whole text. A sentence is returned as soon as the next word shows that it has ended: "3." waits for "14", and "Dr."
 * for a name.
 *
 * @throws TextOptionError naming the option
 */
export function createTextSplitter(options: SplitOptions = {}): TextSplitter {
  const scanner = new SentenceScanner(checkSplit(options))
  return { push: (chunk) => texts(scanner.push(chunk)), end: () => texts(scanner.end()) }
}

/**
 * Yields the sentences of streamed text, as {@link createTextSplitter} finds them.
 *
 * @throws TextOptionError naming the option
 */
export async function* splitStream(
  chunks: AsyncIterable<string>,
  options: SplitOptions = {},
): AsyncGenerator<string, void, undefined> {
  for await (const piece of streamPieces(chunks, options)) yield piece.text
}

/** The sentences of streamed text, with their kind of end. */
export async function* streamPieces(
  chunks: AsyncIterable<string>,
  options: SplitOptions,
): AsyncGenerator<TextPiece, void, undefined> {
  const scanner = new SentenceScanner(checkSplit(options))
  for await (const chunk of chunks) yield* scanner.push(chunk).map(toPiece)
  yield* scanner.end().map(toPiece)
}

function toPiece(unit: TextUnit): TextPiece {
  return { text: unit.text, endsParagraph: unit.end === ENDS.paragraph }
}

function texts(units: readonly TextUnit[]): string[] {
  return units.map((unit) => unit.text)
}
