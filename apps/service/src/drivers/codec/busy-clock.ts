/**
 * Counts the program's own working time: its reader waits for it, and it does not wait for input. Neither a slow reader
 * nor a slow producer uses up the time limit of a healthy program.
 */
export class BusyClock {
  #left: number
  readonly #onSpent: () => void
  #readerWaits = false
  #awaitsInput = false
  #since = 0
  #timer: NodeJS.Timeout | undefined

  /** @param budget Milliseconds until the one call of `onSpent`. */
  constructor(budget: number, onSpent: () => void) {
    this.#left = budget
    this.#onSpent = onSpent
  }

  /** Whether a reader waits for the program's output or end. */
  set readerWaits(waits: boolean) {
    this.#readerWaits = waits
    this.#update()
  }

  /** Whether the program has received all input so far and more will come. */
  set awaitsInput(awaits: boolean) {
    this.#awaitsInput = awaits
    this.#update()
  }

  /** Stops the clock for good. */
  stop(): void {
    this.#readerWaits = false
    this.#update()
  }

  #update(): void {
    const runs = this.#readerWaits && !this.#awaitsInput
    if (runs && this.#timer === undefined) {
      this.#since = performance.now()
      this.#timer = setTimeout(this.#onSpent, this.#left)
    } else if (!runs && this.#timer !== undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#left = Math.max(0, this.#left - (performance.now() - this.#since))
    }
  }
}
