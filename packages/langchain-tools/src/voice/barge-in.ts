import { fields, integer, optional, type OptionRule, positive } from '@svc-audio/options'

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

const FIELDS: Readonly<Record<keyof BargeInPolicy, OptionRule>> = {
  words: optional(integer(1)),
  seconds: optional(positive('seconds')),
  checkSeconds: optional(positive('seconds')),
}

/** The option is a {@link BargeInPolicy}. */
export const bargeInPolicy: OptionRule = optional(fields(FIELDS))

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Whether an utterance ends an answer. @param seconds Its length, where it is known. */
export function isBargeIn(transcript: string, seconds: number | undefined, policy: BargeInPolicy = {}): boolean {
  const { words: leastWords = 1, seconds: leastSeconds = 0 } = policy
  if (seconds !== undefined && seconds < leastSeconds) return false
  let count = 0
  for (const { isWordLike } of words.segment(transcript)) if (isWordLike === true) count += 1
  return count >= leastWords
}
