import { SentenceScanner } from './sentence-scanner.ts'
import { checkSplit, type SplitOptions } from './split-options.ts'
import type { TextPiece } from './split-text.ts'
import { ENDS, type TextUnit } from './text-unit.ts'

/** Splits a text while it is written. Holds at most about 2,300 characters. */
export interface TextSplitter {
  /** Takes more text. @returns The sentences that have certainly ended, in order. */
  push(chunk: string): string[]
  /** The text is over. @returns What was still held. */
  end(): string[]
}

/**
 * Splits streamed text, e.g. of a language model, into sentences: the same ones as `splitSentences` gives for the whole
 * text. One is given as soon as the word behind it shows that it has ended, so that "3." waits for its "14", and "Dr."
 * for its name.
 *
 * @throws TextOptionError naming the option
 */
export function createTextSplitter(options: SplitOptions = {}): TextSplitter {
  const scanner = new SentenceScanner(checkSplit(options))
  return { push: (chunk) => texts(scanner.push(chunk)), end: () => texts(scanner.end()) }
}

/**
 * The sentences of streamed text, as {@link createTextSplitter} finds them.
 *
 * @throws TextOptionError naming the option
 */
export async function* splitStream(
  chunks: AsyncIterable<string>,
  options: SplitOptions = {},
): AsyncGenerator<string, void, undefined> {
  for await (const piece of streamPieces(chunks, options)) yield piece.text
}

/** The sentences of streamed text with what ends them. */
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
