/**
 * Counts the time during which the program alone holds things up: its reader waits for it, and it waits for nobody. So
 * neither a slow listener nor a slow speaker uses up the time limit of a healthy program.
 */
export class BusyClock {
  #left: number
  readonly #onSpent: () => void
  #readerWaits = false
  #awaitsInput = false
  #since = 0
  #timer: NodeJS.Timeout | undefined

  /** @param budget Milliseconds until `onSpent` is called, once. */
  constructor(budget: number, onSpent: () => void) {
    this.#left = budget
    this.#onSpent = onSpent
  }

  /** Whether somebody waits for the program's output or end. */
  set readerWaits(waits: boolean) {
    this.#readerWaits = waits
    this.#update()
  }

  /** Whether the program has been given all there is so far and more is to come. */
  set awaitsInput(awaits: boolean) {
    this.#awaitsInput = awaits
    this.#update()
  }

  /** Ends the count for good. */
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
