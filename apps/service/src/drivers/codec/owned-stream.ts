/**
 * An iterable whose work stops at once when one of `signals` aborts (its reason is thrown) or the reader leaves, even
 * in the middle of a read: a plain generator would hear of the reader's leaving only at its next item.
 *
 * Nothing starts before the first read. Each iterator does the work again.
 *
 * @param make Does the work; it is given one signal that stands for all of these.
 */
export function ownedStream<T>(
  signals: readonly (AbortSignal | undefined)[],
  make: (signal: AbortSignal) => AsyncGenerator<T>,
): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => new CancellableIterator(signals, make) }
}

class CancellableIterator<T> implements AsyncIterator<T> {
  readonly #signals: readonly AbortSignal[]
  readonly #stop = new AbortController()
  readonly #items: AsyncGenerator<T>
  readonly #abort = (): void => this.#stop.abort(this.#signals.find((signal) => signal.aborted)?.reason)
  #state: 'idle' | 'running' | 'over' = 'idle'
  #left = false

  constructor(signals: readonly (AbortSignal | undefined)[], make: (signal: AbortSignal) => AsyncGenerator<T>) {
    this.#signals = signals.filter((signal) => signal !== undefined)
    this.#items = make(this.#stop.signal)
  }

  async next(): Promise<IteratorResult<T>> {
    this.#start()
    try {
      if (this.#state === 'running' && this.#stop.signal.aborted) await this.#items.return(undefined)
      else return this.#passOn(await this.#items.next())
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#end()
        throw error
      }
    }
    // Whatever broke after an abort broke because of it.
    this.#end()
    if (!this.#left) this.#stop.signal.throwIfAborted()
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#left = true
    this.#stop.abort(new DOMException('The reader left', 'AbortError'))
    this.#end()
    // What fails while everything is being torn down interests nobody: the reader is gone.
    await this.#items.return(undefined).catch(() => undefined)
    return { done: true, value: undefined }
  }

  #start(): void {
    if (this.#state !== 'idle') return
    this.#state = 'running'
    for (const signal of this.#signals) signal.addEventListener('abort', this.#abort, { once: true })
    if (this.#signals.some((signal) => signal.aborted)) this.#abort()
  }

  #passOn(result: IteratorResult<T>): IteratorResult<T> {
    if (result.done === true) this.#end()
    return result
  }

  #end(): void {
    this.#state = 'over'
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#abort)
  }
}
