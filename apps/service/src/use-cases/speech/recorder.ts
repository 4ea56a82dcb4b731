/** Copies a stream to a consumer with its own pace. */
export interface Recorder {
  /** Adds a chunk. Waits while the consumer is behind. @throws The consumer's error; the reason of an abort */
  write(chunk: Uint8Array): Promise<void>
  /** Ends the copy and waits for the consumer. @throws The consumer's error */
  finish(): Promise<void>
  /** Drops the copy: the consumer's source throws. Resolves when the consumer has ended. */
  abort(reason: Error): Promise<void>
}

/** Maximum bytes that wait for the consumer: a second and a half of speech. */
const MAX_WAITING_BYTES = 64 * 1024

/** Starts a consumer of the copy. */
export function createRecorder(consume: (source: AsyncIterable<Uint8Array>) => Promise<unknown>): Recorder {
  const copy = new BoundedQueue(MAX_WAITING_BYTES)
  let failure: { readonly error: unknown } | undefined
  const consumed = consume(copy).catch((error: unknown) => {
    failure = { error }
    copy.fail(error)
  })
  return {
    write: (chunk) => copy.push(chunk),
    async finish() {
      copy.end()
      await consumed
      if (failure !== undefined) throw failure.error
    },
    async abort(reason) {
      copy.fail(reason)
      await consumed
    },
  }
}

/** A queue of chunks from one writer to one reader. The writer waits while too many bytes are unread. */
class BoundedQueue implements AsyncIterable<Uint8Array> {
  readonly #max: number
  #chunks: Uint8Array[] = []
  #bytes = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  /** Wakes the writer, the reader, or both after a failure. */
  #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#max = max
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#check()
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
    this.#wake()
    while (this.#bytes > this.#max) {
      await this.#change()
      this.#check()
    }
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Makes the reader and the writer throw. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#chunks = []
    this.#bytes = 0
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      this.#check()
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.#bytes -= chunk.byteLength
        this.#wake()
        yield chunk
      } else if (this.#ended) return
      else await this.#change()
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }
}
