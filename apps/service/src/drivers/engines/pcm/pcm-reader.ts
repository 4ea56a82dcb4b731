import { SampleBlocks } from './sample-blocks.ts'

/** Where a recording's samples come from. */
export interface BlockSource {
  /** The next block, `undefined` at the end. Its buffer is given away. */
  next(): Promise<Int16Array<ArrayBuffer> | undefined>
}

/**
 * Reads PCM bytes of any chunk size in whole blocks of samples. Pulls a chunk only when a block is asked for and the
 * last chunk is used up.
 */
export class PcmReader implements BlockSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #blocks: AsyncGenerator<Int16Array<ArrayBuffer>>
  #over = false

  constructor(pcm: AsyncIterable<Uint8Array>) {
    this.#chunks = pcm[Symbol.asyncIterator]()
    this.#blocks = this.#read()
  }

  /** The next block, `undefined` at the end. Throws what the source throws. */
  async next(): Promise<Int16Array<ArrayBuffer> | undefined> {
    const { done, value } = await this.#blocks.next()
    return done === true ? undefined : value
  }

  /**
   * Tells a source that has not ended that no more is wanted. Nobody waits for it to hear that: a silent source may
   * take as long as it likes.
   */
  leave(): void {
    if (this.#over) return
    this.#over = true
    // what fails while it is being torn down interests nobody
    void Promise.resolve(this.#chunks.return?.()).catch(() => undefined)
  }

  async *#read(): AsyncGenerator<Int16Array<ArrayBuffer>> {
    const blocks = new SampleBlocks()
    for (;;) {
      const chunk = await this.#pull()
      if (chunk === undefined) break
      yield* blocks.push(chunk)
    }
    const rest = blocks.end()
    if (rest.length > 0) yield rest
  }

  async #pull(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#chunks.next()
      if (done !== true) return value
      this.#over = true
      return undefined
    } catch (error) {
      // it has closed itself
      this.#over = true
      throw error
    }
  }
}
