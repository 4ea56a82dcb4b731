import type { Clock } from './transport.ts'

/**
 * A deadline for each of many short waits. One timer serves them all: it is set when there is none and looks, when it
 * fires, at how long the wait of that moment has lasted, so that a wait costs a reading of the clock and no timer.
 * Between waits it may still be set, for the rest of its time, and then does nothing.
 */
export class IdleTimer {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #expire: () => void
  /** When the current wait has lasted too long. */
  #due: number | undefined
  #clear: (() => void) | undefined

  /** @param expire Called once, in a wait that lasts longer than this many milliseconds. */
  constructor(clock: Clock, milliseconds: number, expire: () => void) {
    this.#clock = clock
    this.#milliseconds = milliseconds
    this.#expire = expire
  }

  /** A wait begins. */
  begin(): void {
    this.#due = this.#clock.now() + this.#milliseconds
    if (this.#clear === undefined) this.#arm(this.#milliseconds)
  }

  /** The wait is over; another may follow. */
  pause(): void {
    this.#due = undefined
  }

  /** Nothing is waited for any more: no timer stays. */
  stop(): void {
    this.#due = undefined
    this.#clear?.()
    this.#clear = undefined
  }

  #arm(milliseconds: number): void {
    this.#clear = this.#clock.setTimer(milliseconds, () => {
      this.#clear = undefined
      if (this.#due === undefined) return
      const left = this.#due - this.#clock.now()
      if (left > 0) this.#arm(left)
      else {
        this.#due = undefined
        this.#expire()
      }
    })
  }
}
