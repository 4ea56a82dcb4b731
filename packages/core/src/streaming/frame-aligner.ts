const NOTHING = new Uint8Array(0)

/** Cuts a PCM stream at whole frames. The rest of a chunk is joined with the next one. */
export class FrameAligner {
  readonly #frameBytes: number
  #rest: Uint8Array = NOTHING

  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes
  }

  /** Returns the whole frames that are available now. Empty if there is none. */
  push(chunk: Uint8Array): Uint8Array {
    let bytes = chunk
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length)
      bytes.set(this.#rest)
      bytes.set(chunk, this.#rest.length)
    }
    const whole = bytes.length - (bytes.length % this.#frameBytes)
    if (whole === bytes.length) {
      this.#rest = NOTHING
      return bytes
    }
    // A copy, so a few bytes do not retain the whole chunk. `slice` of a Buffer does not copy.
    this.#rest = new Uint8Array(bytes.subarray(whole))
    return bytes.subarray(0, whole)
  }

  /** Bytes of an unfinished frame: 0 at the end of a complete stream. */
  get pendingBytes(): number {
    return this.#rest.length
  }
}
