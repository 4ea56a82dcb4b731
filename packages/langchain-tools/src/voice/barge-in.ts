import { checkCount, checkOptions, checkPositive, type OptionCheck } from '@svc-audio/agent-tools'

/** What ends an answer that is spoken. Everything else that the user lets hear pauses it, and it continues. */
export interface BargeInPolicy {
  /** Fewest words. 2 lets an answer continue after "yes" and "okay". @default 1 */
  readonly words?: number
  /** Shortest utterance, in seconds. Needs `format`. @default any */
  readonly seconds?: number
  /**
   * Seconds of sound after which the words so far are looked for. Without any, the answer continues, so that music does not
   * hold it. It is one transcription more for each longer utterance. Needs `format`.
   * @default 2
   */
  readonly checkSeconds?: number
}

const CHECKS: Readonly<Record<keyof BargeInPolicy, OptionCheck>> = {
  words: (value, option) => checkCount(value, `bargeIn.${option}`),
  seconds: (value, option) => checkPositive(value, `bargeIn.${option}`),
  checkSeconds: (value, option) => checkPositive(value, `bargeIn.${option}`),
}

/** @throws ConfigurationError naming the part of the policy */
export const checkBargeIn: OptionCheck = (value) => checkOptions(value, CHECKS, [])

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Whether an utterance ends an answer. @param seconds Its length, where it is known. */
export function isBargeIn(transcript: string, seconds: number | undefined, policy: BargeInPolicy = {}): boolean {
  const { words: leastWords = 1, seconds: leastSeconds = 0 } = policy
  if (seconds !== undefined && seconds < leastSeconds) return false
  let count = 0
  for (const { isWordLike } of words.segment(transcript)) if (isWordLike === true) count += 1
  return count >= leastWords
}
