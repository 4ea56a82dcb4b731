/**
 * An iterable over work that stops when its caller's signal aborts and when its reader leaves early, even while the
 * reader still waits for an item: an async generator alone would first finish that item.
 * @param start Begins the work, at the first read. It must end soon once the signal given to it aborts.
 * @param signal Reads reject with its reason once it aborts.
 */
export function readOnce<Item>(
  start: (signal: AbortSignal) => AsyncIterable<Item>,
  signal?: AbortSignal,
): AsyncIterable<Item> {
  const stop = new AbortController()
  let left = false
  async function* read(): AsyncGenerator<Item, undefined> {
    const onAbort = (): void => stop.abort(signal?.reason)
    signal?.throwIfAborted()
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      for await (const item of start(stop.signal)) {
        stop.signal.throwIfAborted()
        yield item
        stop.signal.throwIfAborted()
      }
    } catch (error) {
      if (!left) throw error
    } finally {
      signal?.removeEventListener('abort', onAbort)
      stop.abort()
    }
  }
  const items = read()
  const iterator: AsyncIterator<Item, undefined> = {
    next: async () => items.next(),
    return: async () => {
      left = true
      stop.abort()
      return items.return(undefined)
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
