/** A shorter rest of the budget is none. */
const LEAST_MS = 10

/**
 * Counts the program's own working time: its reader waits for it, and it does not wait for input. Neither a slow reader
 * nor a slow producer uses up the time limit of a healthy program.
 */
export class BusyClock {
  #left: number
  readonly #onSpent: () => void
  readonly #share: () => number
  #readerWaits = false
  #awaitsInput = false
  #since = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param budget Milliseconds until the one call of `onSpent`.
   * @param share Tells the share of the time since its last call, or since the start, that the program was given. The
   * rest does not count: other programs used the processors. @default all of the time
   */
  constructor(budget: number, onSpent: () => void, share: () => number = () => 1) {
    this.#left = budget
    this.#onSpent = onSpent
    this.#share = share
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

  #end(): void {
    const left = (performance.now() - this.#since) * (1 - this.#share())
    this.#timer = undefined
    if (left < LEAST_MS) return this.#onSpent()
    this.#left = left
    this.#update()
  }

  #update(): void {
    const runs = this.#readerWaits && !this.#awaitsInput
    if (runs && this.#timer === undefined) {
      this.#since = performance.now()
      this.#timer = setTimeout(() => this.#end(), this.#left)
    } else if (!runs && this.#timer !== undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#left = Math.max(0, this.#left - (performance.now() - this.#since))
    }
  }
}
