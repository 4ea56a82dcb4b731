import { wordErrorRate } from '@svc-audio/testing'
import { ensure } from '../outcomes.ts'

/** Least share of the words of a line that must be heard. A recognizer makes errors; a lost line has few words in common. */
const LEAST_HEARD = 0.5
/** Highest word error rate of the whole text. Swapped and repeated lines exceed it. */
const MOST_ERRORS = 0.7

/**
 * Requires that a transcript has the words of a text.
 * @param where Origin of the transcript, for the message.
 * @param heard The transcript.
 * @param lines Sentences of the text. Each of them must be heard.
 * @throws Violation with the first line that is not heard, and for many more words than the text has
 */
export function requireHeard(where: string, heard: unknown, lines: readonly string[]): void {
  const said = String(heard)
  const found = new Set(wordsOf(said))
  for (const line of lines) {
    const words = wordsOf(line)
    const share = words.filter((word) => found.has(word)).length / words.length
    ensure(share >= LEAST_HEARD, `${where} says “${excerpt(said)}”, without “${line}”`)
  }
  const errors = wordErrorRate(lines.join(' '), said)
  ensure(errors <= MOST_ERRORS, `${where} says “${excerpt(said)}”, which differs much from “${lines.join(' ')}”`)
}

/** Requires that two transcripts of the same audio have mostly the same words. @throws Violation if they differ */
export function requireSameWords(where: string, one: string, other: string): void {
  ensure(wordErrorRate(one, other) <= LEAST_HEARD, `${where} differ: “${excerpt(one)}” and “${excerpt(other)}”`)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
}

function excerpt(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
