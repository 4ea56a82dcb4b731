import type { Clock } from './transport.ts'

/**
 * A deadline for each of many short waits. One timer serves them all. When it fires, it checks how long the current
 * wait has lasted. A wait therefore costs one clock reading and no timer. Between waits the timer may stay set; it then
 * does nothing.
 */
export class IdleTimer {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #expire: () => void
  /** When the current wait expires. */
  #due: number | undefined
  #clear: (() => void) | undefined

  /** @param expire Called once, if a wait lasts longer than `milliseconds`. */
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

  /** Ends the wait. Another may follow. */
  pause(): void {
    this.#due = undefined
  }

  /** Ends all waits and clears the timer. */
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

/** Longest delay of `setTimeout`, about 25 days. A longer one fires at once. */
const MAX_DELAY = 2 ** 31 - 1

/** The clock of every runtime, Node included. Delays beyond the limit of `setTimeout` are split. */
export const webClock: Clock = {
  now: () => performance.now(),
  setTimer(milliseconds, run) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number): void => {
      timer = setTimeout(() => (left > MAX_DELAY ? wait(left - MAX_DELAY) : run()), Math.min(left, MAX_DELAY))
    }
    wait(milliseconds)
    return () => clearTimeout(timer)
  },
}
