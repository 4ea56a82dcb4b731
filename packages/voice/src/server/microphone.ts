/** Audio of a client on its way to the pipeline. It refuses more than the limit, so that memory stays bounded. */
export class Microphone implements AsyncIterable<Uint8Array> {
  readonly #maxBytes: number
  #queue: Uint8Array[] = []
  #bytes = 0
  #ended = false
  #wake: (() => void) | undefined

  /** @param maxBytes Most bytes that wait for the reader. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @returns Whether there was room. */
  push(audio: Uint8Array): boolean {
    if (this.#ended) return true
    if (this.#bytes + audio.byteLength > this.#maxBytes) return false
    this.#queue.push(audio)
    this.#bytes += audio.byteLength
    this.#wake?.()
    return true
  }

  /** No more comes. What waits is still read. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const audio = this.#queue.shift()
      if (audio !== undefined) {
        this.#bytes -= audio.byteLength
        yield audio
      } else if (this.#ended) {
        return
      } else {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    }
  }
}
