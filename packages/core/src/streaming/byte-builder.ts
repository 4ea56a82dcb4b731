/** Most bytes that are set aside before they are needed. */
const MAX_GUESS = 256 * 1024

/** Bytes that grow at the end: linear work however small the pieces, little more than twice the memory, and no piece is stored. */
export class ByteBuilder {
  #bytes = new Uint8Array(0)
  #length = 0
  /** Length of what was taken last: the next is likely to be as long, and then never has to move. */
  #guess = 0

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#length === 0 ? this.#guess : 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(piece, this.#length)
    this.#length = length
  }

  /** All bytes, which are the caller's from now on; the builder is empty again. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#guess = Math.min(this.#length, MAX_GUESS)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return taken
  }
}
