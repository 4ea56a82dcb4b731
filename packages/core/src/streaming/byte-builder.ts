/** Bytes that grow at the end: linear work however small the pieces, at most twice the memory, and no piece is kept. */
export class ByteBuilder {
  #bytes = new Uint8Array(0)
  #length = 0

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(piece, this.#length)
    this.#length = length
  }

  /** All bytes, which are the caller's from now on; the builder starts anew. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return taken
  }
}
