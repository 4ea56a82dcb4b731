import { integer } from '#options'
import { checkOption } from '../checks/index.ts'
import type { RequestScope } from './request-scope.ts'
import type { CallObserver, Clock } from './transport.ts'

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

/** How far a response has been read. */
export interface ReadProgress {
  /** Number of reads of the body. */
  reads: number
  /** Whether a reader waits for the next chunk. */
  reading: boolean
}

/** Time before a call that waits for the semaphore is reported, in milliseconds. */
const QUEUE_PATIENCE = 10_000

/** The places of a semaphore that the billable calls of a client hold. */
export class BillablePlaces {
  readonly #semaphore: Semaphore
  readonly #clock: Clock
  /** Streams that hold a place, with the function that releases it. Never the stream itself: it could not be collected. */
  readonly #streams = new Map<ReadProgress, () => void>()

  constructor(semaphore: Semaphore, clock: Clock) {
    this.#semaphore = semaphore
    this.#clock = clock
  }

  /**
   * Acquires a place. A caller may drop a stream without reading it. While this call waits, streams without a reader
   * release their places.
   * @returns the function that releases the place
   */
  async acquire({ signal }: RequestScope, observer: CallObserver | undefined): Promise<() => void> {
    let before = new Map<ReadProgress, number>()
    const look = (): void => {
      observer?.queued?.()
      const now = new Map<ReadProgress, number>()
      for (const [stream, release] of this.#streams) {
        if (!stream.reading && before.get(stream) === stream.reads) release()
        else now.set(stream, stream.reads)
      }
      before = now
      clear = this.#clock.setTimer(QUEUE_PATIENCE, look)
    }
    let isQueued = true
    let clear: (() => void) | undefined
    const watch = (): void => {
      if (isQueued) clear = this.#clock.setTimer(QUEUE_PATIENCE, look)
    }
    // A free place arrives within a microtask. A timer costs more than the rest of this function.
    queueMicrotask(() => queueMicrotask(watch))
    try {
      return await this.#semaphore.acquire(signal)
    } finally {
      isQueued = false
      clear?.()
    }
  }

  /** Releases a place at the end of a stream, or when nobody reads the stream while another call waits. */
  releaseAfter(stream: ReadProgress, scope: RequestScope, release: () => void): void {
    const end = (): void => {
      if (this.#streams.delete(stream)) release()
    }
    this.#streams.set(stream, end)
    scope.onEnd(end)
  }
}
