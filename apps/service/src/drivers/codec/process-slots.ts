/** Lets a number of processes run at once; the others wait in the order they came. */
export class ProcessSlots {
  #free: number
  readonly #waiting = new Set<() => void>()

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
    else await this.#queue(signal)
    let held = true
    return () => {
      if (held) this.#release()
      held = false
    }
  }

  #queue(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const granted = (): void => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        this.#waiting.delete(granted)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(granted)
    })
  }

  /** Hands the slot to the first in the queue, or frees it. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
