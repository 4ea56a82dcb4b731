/** The samples of a live recording that are still needed. Positions count from the start of the recording. */
export class SoundBuffer {
  #pieces: Int16Array[] = []
  #start = 0
  #end = 0

  /** Position of the first sample that is held. */
  get start(): number {
    return this.#start
  }

  /** The position after the last sample. */
  get end(): number {
    return this.#end
  }

  /** Adds samples. Do not change them afterwards. */
  push(samples: Int16Array): void {
    if (samples.length === 0) return
    this.#pieces.push(samples)
    this.#end += samples.length
  }

  /** Drops the samples before a position. */
  dropBefore(position: number): void {
    const start = Math.min(position, this.#end)
    if (start <= this.#start) return
    let drop = start - this.#start
    let whole = 0
    for (const { length } of this.#pieces) {
      if (length > drop) break
      drop -= length
      whole += 1
    }
    // All at once: a client may send many short pieces.
    this.#pieces.splice(0, whole)
    const [first] = this.#pieces
    if (first !== undefined) this.#pieces[0] = first.subarray(drop)
    this.#start = start
  }

  /** Returns the samples up to a position, and drops them. */
  take(end: number): Int16Array<ArrayBuffer> {
    const taken = new Int16Array(Math.max(0, Math.min(end, this.#end) - this.#start))
    let at = 0
    for (const piece of this.#pieces) {
      if (at === taken.length) break
      const part = piece.subarray(0, taken.length - at)
      taken.set(part, at)
      at += part.length
    }
    this.dropBefore(this.#start + taken.length)
    return taken
  }
}
