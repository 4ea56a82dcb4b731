/** Samples in a block: half a second. Small enough for a quick abort, large enough to keep messages rare. */
export const BLOCK_SAMPLES = 8000

const BLOCK_BYTES = BLOCK_SAMPLES * 2

/**
 * Regroups bytes of signed 16-bit little-endian PCM into blocks of {@link BLOCK_SAMPLES}. The bytes may be cut
 * anywhere, even inside a sample. Every block has a separate buffer, so it can be transferred.
 */
export class SampleBlocks {
  #block = new Uint8Array(BLOCK_BYTES)
  #filled = 0

  /** The rest, as the last block; it may be empty. Half a sample at the end of the audio is dropped. */
  end(): Int16Array<ArrayBuffer> {
    return this.#take()
  }

  /** Yields the blocks that these bytes complete. Read it to its end before the next call. */
  *push(bytes: Uint8Array): Generator<Int16Array<ArrayBuffer>> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#filled)
      this.#block.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === BLOCK_BYTES) yield this.#take()
    }
  }

  #take(): Int16Array<ArrayBuffer> {
    const view = new DataView(this.#block.buffer)
    const samples = new Int16Array(this.#filled >> 1)
    for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(index * 2, true)
    this.#filled = 0
    return samples
  }
}
