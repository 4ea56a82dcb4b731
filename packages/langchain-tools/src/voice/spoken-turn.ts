/** Which part of an answer has been heard, from the audio that was handed out. */
export class SpokenTurn {
  /** Seconds of audio that the reader has taken. */
  takenSeconds = 0
  /** Seconds of audio that were made. */
  madeSeconds = 0
  readonly #sentences: { readonly text: string; startSecond: number; endSecond: number | undefined }[] = []

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
    if (sentence !== undefined) sentence.endSecond = this.madeSeconds
  }

  /**
   * The text that was heard: whole sentences, and of the one that was cut off the words up to the same share of its
   * audio. A sentence whose length is not known yet counts as not heard.
   * @param seconds How much was played.
   */
  heard(seconds: number): string {
    const parts: string[] = []
    for (const { text, startSecond, endSecond } of this.#sentences) {
      if (endSecond === undefined || seconds <= startSecond) break
      const share = (seconds - startSecond) / (endSecond - startSecond)
      const words = text.split(/\s+/)
      parts.push(share >= 1 ? text : words.slice(0, Math.floor(words.length * share)).join(' '))
    }
    return parts.filter((part) => part !== '').join(' ')
  }
}
