import type { RecognizedWord } from '@svc-audio/engine-ports'

/** A text with its time, in seconds. */
export interface Piece {
  readonly start: number
  readonly end: number
  readonly text: string
  /** Label of the speaker. @default unknown */
  readonly speaker?: string
}

/** A cue of subtitles: columns of a line, lines, and seconds. The label of a speaker stands before the text. */
const LINE_COLUMNS = 42
const LINES = 2
const CUE_SECONDS = 7

/** Pause that ends a cue, in seconds: nobody reads a text for so long before it is said. */
const PAUSE_SECONDS = 1

/** Characters that are two columns wide. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60]/gu

/**
 * Parts a text into pieces that are a cue each, and that begin and end with their words. A text without times of words,
 * or with other words than those, stays one piece, whose cues share its time by their length.
 */
export function timedPieces(piece: Piece, words: readonly RecognizedWord[]): readonly Piece[] {
  const spelt = piece.text.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0 || spelt.length !== words.length) return [piece]
  const label = piece.speaker === undefined ? 0 : piece.speaker.length + 2
  const groups: { readonly words: RecognizedWord[]; readonly texts: string[] }[] = []
  let line = { column: 0, count: 0 }
  for (const [index, word] of words.entries()) {
    const [text = '', group] = [spelt[index], groups.at(-1)]
    const next = after(line, widthOf(text))
    const [first, last] = [group?.words[0], group?.words.at(-1)]
    const isFull =
      next.count > LINES ||
      word.endSecond - (first?.startSecond ?? 0) > CUE_SECONDS ||
      word.startSecond - (last?.endSecond ?? 0) > PAUSE_SECONDS
    if (group === undefined || isFull) {
      groups.push({ words: [word], texts: [text] })
      line = after({ column: label, count: 1 }, widthOf(text) - 1)
      continue
    }
    group.words.push(word)
    group.texts.push(text)
    line = next
  }
  const speaker = piece.speaker === undefined ? {} : { speaker: piece.speaker }
  return groups.map(({ words: own, texts }) => {
    const [start, end] = [own[0]?.startSecond ?? piece.start, own.at(-1)?.endSecond ?? piece.end]
    return Object.assign({ start, end, text: texts.join(' ') }, speaker)
  })
}

/** The place behind a word, on the same line or at the start of the next one. */
function after({ column, count }: { readonly column: number; readonly count: number }, width: number) {
  return column + 1 + width <= LINE_COLUMNS
    ? { column: column + 1 + width, count }
    : { column: width, count: count + 1 }
}

function widthOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0)
}

/** The words of each turn of a speaker: turns are made of consecutive words, in the order of time. */
export function wordsOfTurns<Turn extends Piece>(
  turns: readonly Turn[],
  words: readonly RecognizedWord[],
): readonly (readonly [Turn, readonly RecognizedWord[]])[] {
  let at = 0
  return turns.map((turn) => {
    const from = at
    while ((words[at]?.startSecond ?? Infinity) <= turn.end && (words[at]?.endSecond ?? Infinity) <= turn.end) at += 1
    return [turn, words.slice(from, at)] as const
  })
}
