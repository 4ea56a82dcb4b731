import { fields, integer, optional, type OptionRule, positive } from '#options'

/** What ends an answer that is spoken. Everything else that the user lets hear pauses it, and it continues. */
export interface BargeInPolicy {
  /** Fewest words. 2 lets an answer continue after "yes" and "okay". @default 1 */
  readonly words?: number
  /**
   * Words that end an answer however few they are, such as `stop`. Case and marks do not count.
   * @default words for stop and wait in a dozen languages
   */
  readonly commands?: readonly string[]
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
  commands: optional((value) =>
    Array.isArray(value) && value.every((word) => typeof word === 'string' && wordsOf(word).length > 0)
      ? undefined
      : "must be an array of words, such as ['stop', 'wait']",
  ),
  seconds: optional(positive('seconds')),
  checkSeconds: optional(positive('seconds')),
}

/** The option is a {@link BargeInPolicy}. */
export const bargeInPolicy: OptionRule = optional(fields(FIELDS))

/** Words for stop and wait. */
const COMMANDS: readonly string[] = `
stop, wait, hold on, hang on, pause, cancel, quiet, enough, shut up, never mind,
stopp, halt, warte, moment, genug, para, espera, alto, basta, arrête, attends, attendez,
ferma, aspetta, pare, wacht, genoeg, stoppa, vänta, vent, odota, dur, bekle, czekaj,
стоп, стой, подожди, хватит, 停, 停止, 等一下, 待って, 止めて, ストップ, 잠깐, 멈춰, रुको, توقف, انتظر`
  .split(',')
  .map((command) => command.trim())

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The words of a text, in lower case. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFC').toLowerCase()))
    if (isWordLike === true) words.push(segment)
  return words
}

/** Whether an utterance ends an answer. @param seconds Its length, where it is known. */
export function isBargeIn(transcript: string, seconds: number | undefined, policy: BargeInPolicy = {}): boolean {
  const { words: leastWords = 1, seconds: leastSeconds = 0, commands = COMMANDS } = policy
  const words = wordsOf(transcript)
  const spoken = ` ${words.join(' ')} `
  if (commands.some((command) => spoken.includes(` ${wordsOf(command).join(' ')} `))) return true
  return words.length >= leastWords && (seconds === undefined || seconds >= leastSeconds)
}
