import { WaitQueue } from './wait-queue.ts'

/** Lets a number of processes run at once; the others wait in the order they came. */
export class Semaphore {
  #free: number
  readonly #line = new WaitQueue()

  /** @param count How many may run at once, at least 1. */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits for a slot.
   *
   * @returns How to give the slot back; calling it again has no effect.
   * @throws The signal's reason, when it aborts first; the place in the queue is given up.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#line.wait(signal)
    let held = true
    return () => {
      // handed to the first in the line, or free
      if (held && !this.#line.next()) this.#free += 1
      held = false
    }
  }
}
