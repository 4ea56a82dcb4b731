/**
 * Runs work for each item, some at the same time, and gives the results in order. Ending the iteration early, or a
 * failure, aborts the work in flight.
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const controller = new AbortController()
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal])
  const running: Promise<Result>[] = []
  let next = 0
  const fill = (): void => {
    for (const item of items.slice(next, next + concurrency - running.length)) {
      next += 1
      const result = work(item, both)
      // It is awaited in its turn; until then its failure is nobody's.
      result.catch(() => {})
      running.push(result)
    }
  }
  try {
    for (fill(); running.length > 0; fill()) {
      signal?.throwIfAborted()
      const [result] = running
      if (result === undefined) return
      yield await result
      void running.shift()
    }
  } finally {
    controller.abort()
  }
}
