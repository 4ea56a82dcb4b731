import { WaitQueue } from '@svc-audio/engine-ports/driver'

/** Limits how many processes run at once. The others queue in order. */
export class Semaphore {
  #free: number
  readonly #line = new WaitQueue()

  /** @param count Most processes at once, at least 1. */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits for a slot.
   *
   * @returns Releases the slot. A second call has no effect.
   * @throws The signal's reason when it aborts first. The caller then leaves the queue.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#line.wait(signal)
    let held = true
    return () => {
      // passes the slot to the first caller in the queue, or frees it
      if (held && !this.#line.next()) this.#free += 1
      held = false
    }
  }
}
