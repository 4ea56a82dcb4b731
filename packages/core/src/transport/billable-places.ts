import type { CallObserver } from './observe.ts'
import type { ReadProgress } from './read-progress.ts'
import type { RequestScope } from './request-scope.ts'
import type { Semaphore } from './semaphore.ts'
import type { Clock } from './transport.ts'

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
