/** Characters that a voice speaks in a second, until its own pace is known. */
const USUAL_PACE = 15
/** After so many seconds of a sentence, something of it was heard. */
const AUDIBLE_SECONDS = 1

const wordsOf = new Intl.Segmenter(undefined, { granularity: 'word' })

/** How fast the voice of a pipeline speaks, measured over its complete sentences. */
export class SpeakingPace {
  #characters = 0
  #seconds = 0
  readonly #speed: number

  /** @param speed Speaking rate that the voice was asked for. */
  constructor(speed = 1) {
    this.#speed = speed
  }

  /** A sentence was spoken to its end. */
  measured(text: string, seconds: number): void {
    this.#characters += text.length
    this.#seconds += seconds
  }

  /** @returns Seconds that a text takes. */
  secondsOf(text: string): number {
    const measured = this.#seconds > 0 && this.#characters > 0
    return text.length / (measured ? this.#characters / this.#seconds : USUAL_PACE * this.#speed)
  }
}

/** Which part of an answer has been heard, from the audio that was handed out. */
export class SpokenTurn {
  /** Seconds of audio that the reader has taken. */
  takenSeconds = 0
  /** Seconds of audio that were made. */
  madeSeconds = 0
  readonly #pace: SpeakingPace
  readonly #sentences: { readonly text: string; startSecond: number; endSecond: number | undefined }[] = []

  constructor(pace: SpeakingPace) {
    this.#pace = pace
  }

  /** A sentence begins. */
  begin(text: string): void {
    this.#sentences.push({ text, startSecond: this.madeSeconds, endSecond: undefined })
  }

  /** Audio of the sentence was made. */
  made(seconds: number): void {
    this.madeSeconds += seconds
  }

  /** The sentence's audio is complete. */
  complete(): void {
    const sentence = this.#sentences.at(-1)
    if (sentence === undefined) return
    sentence.endSecond = this.madeSeconds
    this.#pace.measured(sentence.text, sentence.endSecond - sentence.startSecond)
  }

  /**
   * The text that was heard: whole sentences, and of the one that was cut off the words up to the same share of its
   * audio. The length of a sentence that is still synthesized is estimated by the pace of the voice; its last word does
   * not count.
   * @param seconds How much was played.
   */
  heard(seconds: number): string {
    const parts: string[] = []
    for (const { text, startSecond, endSecond } of this.#sentences) {
      const played = seconds - startSecond
      if (played <= 0) break
      const known = endSecond !== undefined
      const length = (endSecond ?? Math.max(this.madeSeconds, startSecond + this.#pace.secondsOf(text))) - startSecond
      const min = played >= AUDIBLE_SECONDS ? 1 : 0
      parts.push(known && played >= length ? text : partOf(text, played / length, min))
    }
    return parts.filter((part) => part !== '').join(' ')
  }
}

/** The first words of a text by share, without its last one. Also in scripts that write no spaces. */
function partOf(text: string, share: number, min: number): string {
  const ends = [...wordsOf.segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ index, segment }) => index + segment.length)
  const count = Math.max(min, Math.min(Math.floor(ends.length * share), ends.length - 1))
  return text.slice(0, ends[count - 1] ?? 0)
}
