/**
 * A body for undici, as an iterable: a Node stream would cost CPU. undici closes a stream when the request ends, but
 * not an iterable. The exchange calls {@link SentBody.leave} instead.
 */
export class SentBody implements AsyncIterableIterator<Uint8Array, void, undefined> {
  readonly #chunks: AsyncIterator<Uint8Array, unknown, undefined>
  #left = false

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    const { done, value } = await this.#chunks.next()
    // undici would treat the end of a closed source as the end of the body, and finish the request.
    if (this.#left) throw new Error('The body was left before its end')
    return done === true ? { done, value: undefined } : { done: false, value }
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.leave()
    return { done: true, value: undefined }
  }

  /** Closes the source, also during a pending read. */
  leave(): void {
    this.#left = true
    // An error of the source no longer matters.
    this.#chunks.return?.()?.catch(() => {})
  }
}
