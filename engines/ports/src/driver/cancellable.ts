/** Options of {@link cancellable}. */
export interface CancellableOptions {
  /** Whether all iterators share one run of the work. @default false: each iterator runs the work again */
  readonly once?: boolean
}

/**
 * Creates a stream whose work stops at once when one of `signals` aborts or the reader leaves the loop, even in the
 * middle of a read. A plain generator learns of the reader's end only at its next item. After an abort, reads throw
 * the signal's reason.
 *
 * Nothing starts before the first read.
 *
 * @param make Does the work. Its signal aborts with `signals` and when the reader leaves.
 */
export function cancellable<T>(
  signals: readonly (AbortSignal | undefined)[],
  make: (signal: AbortSignal) => AsyncIterable<T>,
  { once = false }: CancellableOptions = {},
): AsyncIterable<T> {
  if (!once) return { [Symbol.asyncIterator]: () => new CancellableIterator(signals, make) }
  const iterator = new CancellableIterator(signals, make)
  return { [Symbol.asyncIterator]: () => iterator }
}

/**
 * Creates a stream of the items that `next` makes from `source`. It closes `source` when the reader stops, even before
 * the first read. A generator would not: a generator that has not started has nothing to close.
 *
 * @param onClose Called after `source` is closed, when the reader stops early or closes a stream that has ended.
 */
export function streamOver<T>(
  source: AsyncIterator<unknown>,
  next: () => Promise<IteratorResult<T, undefined>>,
  onClose?: () => Promise<void>,
): AsyncIterable<T> {
  let closed = false
  const iterator: AsyncIterator<T> = {
    next: async () => (closed ? END : next()),
    async return() {
      closed = true
      try {
        await source.return?.()
      } finally {
        await onClose?.()
      }
      return END
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** The end of an iterator. */
export const END: {
  /** The iterator has no further item. */
  readonly done: true
  /** An end has no value. */
  readonly value: undefined
} = { done: true, value: undefined }

class CancellableIterator<T> implements AsyncIterator<T> {
  readonly #signals: readonly AbortSignal[]
  readonly #stop = new AbortController()
  readonly #make: (signal: AbortSignal) => AsyncIterable<T>
  #items: AsyncIterator<T> | undefined
  readonly #abort = (): void => this.#stop.abort(this.#signals.find((signal) => signal.aborted)?.reason)
  #state: 'idle' | 'running' | 'over' = 'idle'
  #left = false

  constructor(signals: readonly (AbortSignal | undefined)[], make: (signal: AbortSignal) => AsyncIterable<T>) {
    this.#signals = signals.filter((signal) => signal !== undefined)
    this.#make = make
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#state === 'over') return END
    this.#start()
    try {
      if (this.#stop.signal.aborted) await this.#items?.return?.()
      else return this.#passOn(await this.#read())
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#end()
        throw error
      }
    }
    // An error after an abort is a consequence of the abort.
    this.#end()
    if (!this.#left) this.#stop.signal.throwIfAborted()
    return END
  }

  async return(): Promise<IteratorResult<T>> {
    this.#left = true
    this.#stop.abort(new DOMException('The reader stopped', 'AbortError'))
    this.#end()
    // Ignore errors of the cleanup: nobody reads them.
    await this.#items?.return?.().catch(() => undefined)
    return END
  }

  #start(): void {
    if (this.#state !== 'idle') return
    this.#state = 'running'
    for (const signal of this.#signals) signal.addEventListener('abort', this.#abort, { once: true })
    if (this.#signals.some((signal) => signal.aborted)) this.#abort()
  }

  #read(): Promise<IteratorResult<T>> {
    this.#items ??= this.#make(this.#stop.signal)[Symbol.asyncIterator]()
    return this.#items.next()
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

/**
 * Adds a signal to a stream that ignores signals. Yields the items of `source` until `signal` aborts, and then throws
 * its reason at once, even while the source is silent. Calls `return` of the source unless the source itself has
 * ended. After an abort it does not wait for that call: a silent source may never answer.
 */
export async function* cancellableSource<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const items = source[Symbol.asyncIterator]()
  // One promise per item. A race against one long-lived promise would keep all items in memory.
  let interrupt: (() => void) | undefined
  const abort = (): void => interrupt?.()
  const next = (): Promise<IteratorResult<T>> =>
    new Promise((resolve, reject) => {
      interrupt = () => reject(signal.reason)
      items.next().then(resolve, reject)
    })
  signal.addEventListener('abort', abort, { once: true })
  let open = true
  try {
    for (;;) {
      open = false // an iterator that ends or throws closes itself
      const result = await next()
      if (result.done === true) return
      open = true
      yield result.value
      signal.throwIfAborted()
    }
  } finally {
    signal.removeEventListener('abort', abort)
    if (open || signal.aborted) await leave(items, signal)
  }
}

async function leave(items: AsyncIterator<unknown>, signal: AbortSignal): Promise<void> {
  const left = items.return?.()
  if (!signal.aborted) await left
  else left?.catch(() => undefined)
}
