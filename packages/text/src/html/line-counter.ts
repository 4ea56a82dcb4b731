/** Converts rising offsets of a text to lines. It reads each character once. */
export class LineCounter {
  readonly #text: string
  #offset = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  /** The line of an offset, from 1. */
  at(offset: number): number {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#offset)
      if (end < 0 || end >= offset) return this.#line
      this.#offset = end + 1
      this.#line += 1
    }
  }
}
