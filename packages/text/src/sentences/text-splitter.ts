import { SentenceScanner } from './sentence-scanner.ts'
import { checkSplit, type SplitOptions } from './split-options.ts'
import type { TextPiece } from './split-text.ts'
import { ENDS, type TextUnit } from './text-unit.ts'

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
