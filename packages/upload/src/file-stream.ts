import type { Readable } from 'node:stream'
import type { FormReception } from './form-reception.ts'

/** The bytes of a file part: first those that were looked at, then the rest as it comes. It can be read once. */
export class FileStream implements AsyncIterable<Uint8Array> {
  readonly #reception: FormReception
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #head: Uint8Array[] = []
  #taken = false
  #bytes = 0

  constructor(content: Readable, reception: FormReception) {
    this.#reception = reception
    // Never to be returned: that would destroy the part and hang the parser. The reception ends both, in the right order.
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Bytes handed out by the iteration so far. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * The first bytes of the file, at least `size` unless it is shorter. They stay part of the iteration.
   * @throws the reception's failure
   */
  async peek(size: number): Promise<Uint8Array> {
    for (let bytes = 0; bytes < size;) {
      const { done, value } = await this.#next()
      if (done === true) break
      this.#head.push(value)
      bytes += value.byteLength
    }
    return Buffer.concat(this.#head).subarray(0, size)
  }

  /** @throws TypeError when it is read a second time */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#taken)
      throw new TypeError('This upload was already read; it comes from a connection and can be read once')
    this.#taken = true
    return this.#read()
  }

  dispose(): void {
    this.#taken = true
    this.#reception.giveUp()
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = this.#head.shift(); chunk !== undefined; chunk = this.#head.shift()) {
        this.#bytes += chunk.byteLength
        yield chunk
      }
      for (;;) {
        const { done, value } = await this.#next()
        if (done === true) break
        this.#bytes += value.byteLength
        yield value
      }
      // What follows the file can still be wrong, a second file for one. Only a whole form ends the iteration.
      await this.#reception.end
    } finally {
      // Does nothing after the end; otherwise the consumer has left, or the reception has failed already.
      this.dispose()
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      // The part reports how it was torn down; why is what the reception knows, if only a moment later.
      await this.#reception.end
      throw error
    }
  }
}
