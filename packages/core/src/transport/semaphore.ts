import { checkWhole } from './settings.ts'

/**
 * Limits how many billable calls are in flight. A client acquires it before each try. One semaphore may serve several
 * clients, and one of your own several processes.
 */
export interface Semaphore {
  /**
   * Waits for a place.
   * @returns A function that releases the place. The client calls it once.
   * @throws the signal's reason when it aborts first
   */
  acquire(signal: AbortSignal): Promise<() => void>
}

/**
 * A semaphore of this process: first come, first served.
 * @param maxConcurrent Places, 1 or more.
 * @throws ConfigurationError for anything but an integer from 1
 */
export function createSemaphore(maxConcurrent: number): Semaphore {
  checkWhole(maxConcurrent, 'maxConcurrent')
  let free = maxConcurrent
  const queue = new Set<() => void>()
  const release = (): void => {
    const [next] = queue
    if (next === undefined) free += 1
    else {
      queue.delete(next)
      next()
    }
  }
  return {
    async acquire(signal) {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const abort = (): void => {
          // A place that was given in the same moment stays given.
          if (queue.delete(resolve)) reject(signal.reason)
        }
        queue.add(resolve)
        signal.addEventListener('abort', abort, { once: true })
        await promise.finally(() => signal.removeEventListener('abort', abort))
      }
      return release
    },
  }
}
