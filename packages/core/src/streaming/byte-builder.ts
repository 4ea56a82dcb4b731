/** Maximum bytes to allocate in advance. */
const MAX_GUESS = 256 * 1024

/**
 * A growing byte buffer. The work is linear for pieces of any size, the memory little more than twice the bytes. No
 * piece is retained.
 */
export class ByteBuilder {
  #bytes = new Uint8Array(0)
  #length = 0
  /** Length of the last result. The next one is likely as long, and then needs no reallocation. */
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

  /** Returns all bytes, which then belong to the caller, and empties the builder. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#guess = Math.min(this.#length, MAX_GUESS)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return taken
  }
}
