/** Runs a task when there is room for it; gives up waiting when the signal aborts, with its reason. */
export type Limiter = <Result>(task: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

/** At most `concurrency` tasks at once, first come first served. */
export function createLimiter(concurrency: number): Limiter {
  const waiting = new Set<() => void>()
  let running = 0

  const enter = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const start = (): void => {
        waiting.delete(start)
        signal.removeEventListener('abort', giveUp)
        running += 1
        resolve()
      }
      const giveUp = (): void => {
        waiting.delete(start)
        reject(signal.reason)
      }
      if (running < concurrency) {
        start()
        return
      }
      waiting.add(start)
      signal.addEventListener('abort', giveUp, { once: true })
    })

  return async (task, signal) => {
    await enter(signal)
    try {
      return await task()
    } finally {
      // A turn later: whoever is told of a failure now can still take back what waits.
      setImmediate(() => {
        running -= 1
        const [next] = waiting
        next?.()
      })
    }
  }
}
