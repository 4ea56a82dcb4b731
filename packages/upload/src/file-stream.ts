import type { Readable } from 'node:stream'
import type { Form } from './form.ts'

/** The bytes of a file part: first the inspected ones, then the rest as it arrives. It can be read once. */
export class FileStream implements AsyncIterable<Uint8Array> {
  readonly #form: Form
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #head: Uint8Array[] = []
  #taken = false
  #ended = false
  #bytes = 0
  #waited = 0
  #waitingSince: number | undefined
  /** Gets each chunk before its reader, and throws to refuse the file. */
  #check: ((chunk: Uint8Array) => void) | undefined

  constructor(content: Readable, form: Form) {
    this.#form = form
    // The part's iterator is never returned: `return()` would destroy the part and hang the parser. The form ends
    // both in the right order.
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Bytes that the iteration has yielded so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether every byte of the file has been read. The form may still continue. */
  get ended(): boolean {
    return this.#ended
  }

  /** Milliseconds spent waiting for bytes of the client. In the remaining time the reader was busy. */
  get waitedMs(): number {
    return this.#waited + (this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince)
  }

  /**
   * The first bytes of the file, at least `size` unless it is shorter. They stay part of the iteration.
   * @throws the form's failure
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

  /**
   * Checks each chunk before its reader gets it.
   * @param check Throws to refuse the file: the form fails with its error.
   */
  watch(check: (chunk: Uint8Array) => void): void {
    this.#check = check
  }

  /** @throws TypeError when it is read a second time */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#taken) throw new TypeError('This upload was already read: a connection can be read once')
    this.#taken = true
    return this.#read()
  }

  /** Discards the rest of the upload. */
  dispose(): void {
    this.#taken = true
    this.#form.dispose()
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = this.#head.shift(); chunk !== undefined; chunk = this.#head.shift()) {
        yield this.#pass(chunk)
      }
      for (;;) {
        const { done, value } = await this.#next()
        if (done === true) break
        yield this.#pass(value)
      }
      // The form may still fail after the file, e.g. because of a second file. Only a whole form ends the iteration.
      await this.#measure(this.#form.end)
    } finally {
      // No effect after the end. Otherwise the reader has stopped, or the form has already failed.
      this.dispose()
    }
  }

  #pass(chunk: Uint8Array): Uint8Array {
    try {
      this.#check?.(chunk)
    } catch (error) {
      this.#form.fail(error)
      throw error
    }
    this.#bytes += chunk.byteLength
    return chunk
  }

  async #next(): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      const next = await this.#measure(this.#chunks.next())
      if (next.done === true) this.#ended = true
      return next
    } catch (error) {
      // The part only reports its destruction. The form knows the reason, sometimes a moment later.
      await this.#form.end
      throw error
    }
  }

  /** Adds the time of a wait to {@link FileStream.waitedMs}. */
  async #measure<Value>(wait: Promise<Value>): Promise<Value> {
    const start = performance.now()
    this.#waitingSince = start
    try {
      return await wait
    } finally {
      this.#waited += performance.now() - start
      this.#waitingSince = undefined
    }
  }
}
