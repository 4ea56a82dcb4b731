/**
 * A body as undici takes it: as it is, since a Node stream in between costs CPU. undici asks a stream to end when the
 * request does, but not an iterable: the exchange calls {@link SentBody.leave}.
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
    // undici would take the end of a source that was left for the end of the body, and finish the request.
    if (this.#left) throw new Error('The body was left before its end')
    return done === true ? { done, value: undefined } : { done: false, value }
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.leave()
    return { done: true, value: undefined }
  }

  /** Nobody reads on: frees what the bytes come from, also while they are being waited for. */
  leave(): void {
    this.#left = true
    // What the source says to that is of no use any more.
    this.#chunks.return?.()?.catch(() => {})
  }
}
