/**
 * The items of `source` until `signal` aborts, which throws its reason at once, even while the source is silent. The
 * source is left (`return`) in every case but its own end; after an abort that is not waited for, since a silent
 * source may not answer.
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const items = source[Symbol.asyncIterator]()
  // One promise for each item: racing each against one long-lived promise would keep them all in memory.
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
      open = false // an iterator that ends or throws has closed itself
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
