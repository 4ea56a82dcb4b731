import { checkWhole } from './settings.ts'

/**
 * Bounds how many billable calls are in flight. A client asks before each try and gives back when the answer is over, so
 * one gate may serve several clients, and one of your own several processes.
 */
export interface Gate {
  /**
   * Waits for a place.
   * @returns Gives the place back; called once.
   * @throws the signal's reason when it aborts meanwhile
   */
  acquire(signal: AbortSignal): Promise<() => void>
}

/**
 * A gate of this process: first come, first served.
 * @param maxConcurrent Places.
 * @throws ConfigurationError for anything but a whole number from 1
 */
export function createGate(maxConcurrent: number): Gate {
  checkWhole(maxConcurrent, 'maxConcurrent')
  let free = maxConcurrent
  const waiting = new Set<() => void>()
  const release = (): void => {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
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
          if (waiting.delete(resolve)) reject(signal.reason)
        }
        waiting.add(resolve)
        signal.addEventListener('abort', abort, { once: true })
        await promise.finally(() => signal.removeEventListener('abort', abort))
      }
      return release
    },
  }
}
