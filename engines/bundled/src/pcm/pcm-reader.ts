import { SampleBlocks } from './sample-blocks.ts'

/** A source of a recording's samples. */
export interface BlockSource {
  /** Returns the next block, `undefined` at the end. The caller owns its buffer. */
  next(): Promise<Int16Array<ArrayBuffer> | undefined>
}

/**
 * Reads PCM bytes of any chunk size in whole blocks of samples. Reads a chunk only for a requested block, after using
 * up the last chunk.
 */
export class PcmReader implements BlockSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #blocks: AsyncGenerator<Int16Array<ArrayBuffer>>
  #over = false

  constructor(pcm: AsyncIterable<Uint8Array>) {
    this.#chunks = pcm[Symbol.asyncIterator]()
    this.#blocks = this.#read()
  }

  /** Returns the next block, `undefined` at the end. Throws the source's error. */
  async next(): Promise<Int16Array<ArrayBuffer> | undefined> {
    const { done, value } = await this.#blocks.next()
    return done === true ? undefined : value
  }

  /** Closes a source that has not ended. Does not wait for it, because a silent source may take any time. */
  leave(): void {
    if (this.#over) return
    this.#over = true
    // Errors of the teardown do not matter.
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
      // It has closed itself.
      this.#over = true
      throw error
    }
  }
}
