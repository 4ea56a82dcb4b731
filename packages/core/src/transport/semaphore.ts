import { integer } from '@svc-audio/options'
import { checkOption } from '../checks/option-rules.ts'

/**
 * Limits how many billable calls are in flight. A client acquires it before each attempt. One semaphore can serve
 * several clients. Your own implementation can serve several processes.
 */
export interface Semaphore {
  /**
   * Waits for a place.
   * @returns a function that releases the place; the client calls it once
   * @throws the signal's reason when it aborts first
   */
  acquire(signal: AbortSignal): Promise<() => void>
}

/**
 * Creates a semaphore for this process: first come, first served.
 * @param maxConcurrent Places, 1 or more.
 * @throws ConfigurationError unless the number is an integer of 1 or more
 */
export function createSemaphore(maxConcurrent: number): Semaphore {
  checkOption('maxConcurrent', integer(1), maxConcurrent)
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
          // A place that was granted at the same moment stays granted.
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
