import type { DialogueLine } from './dialogue-rules.ts'

/**
 * Silence between two lines, in seconds, by the end of the first line. People answer a question sooner than a
 * statement.
 */
export const GAP_SECONDS = {
  /** Broken off with a dash or a comma: the other speaker interrupts. */
  brokenOff: 0.25,
  question: 0.3,
  exclamation: 0.35,
  statement: 0.45,
  /** Trailing off with an ellipsis. */
  trailingOff: 0.6,
  /** The same speaker continues, after any end. */
  sameSpeaker: 0.3,
} as const

const ENDINGS: readonly (readonly [ending: RegExp, gap: keyof typeof GAP_SECONDS])[] = [
  [/(?:…|\.\.\.)$/u, 'trailingOff'],
  [/[-–—,]$/u, 'brokenOff'],
  [/[?？][!！]*$/u, 'question'],
  [/[!！]$/u, 'exclamation'],
]

/** Quotation marks, brackets and spaces after the punctuation at the end of a line. */
const CLOSING = new Set('"\'”’»)] \n\t')

/** Returns the natural gap after a line, in seconds. */
export function gapAfter(line: DialogueLine, next: DialogueLine): number {
  if (line.speaker === next.speaker) return GAP_SECONDS.sameSpeaker
  let end = line.text.length
  while (CLOSING.has(line.text.charAt(end - 1))) end -= 1
  const ending = line.text.slice(Math.max(0, end - 8), end)
  const [, gap] = ENDINGS.find(([sign]) => sign.test(ending)) ?? []
  return GAP_SECONDS[gap ?? 'statement']
}
