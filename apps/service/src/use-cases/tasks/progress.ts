import type { Clock } from '../../domain/clock.ts'

/** Options of {@link Progress}. */
export interface ProgressOptions {
  readonly clock: Clock
  /** Longest time without progress, in milliseconds that the engines were given. A stall is noticed up to a quarter later. */
  readonly patience: number
  /**
   * The share of the time since its last call that the engines were given. On a machine with other work they wait for a
   * processor, and that does not count.
   * @default all of the time
   */
  readonly share?: () => number
  /** Called once, when the time is over. */
  readonly onStall: () => void
}

/**
 * The time is counted in parts. When this thread blocks for long, or the process is paused, one timer fires late, which
 * counts as one part.
 */
const PARTS = 4

/**
 * Notices work that makes no progress although its process lives. Progress is anything that passes between two parts of
 * the work: a sentence, a piece of a recording, encoded bytes.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #part: number
  #left: number
  #waits = 0
  #cancel: (() => void) | undefined

  /** Starts the time. */
  constructor(options: ProgressOptions) {
    this.#options = options
    this.#part = options.patience / PARTS
    this.#left = options.patience
    this.#tick()
  }

  /**
   * Restarts the time.
   * @param extra Time of the next step beyond the patience, in milliseconds. @default 0
   */
  advance(extra: number = 0): void {
    this.#left = Math.max(this.#left, this.#options.patience + extra)
  }

  /**
   * Stops the time while the work waits for something with limits of its own: a place, a download.
   * @returns Restarts the time. A second call has no effect.
   */
  wait(): () => void {
    this.#waits += 1
    let waiting = true
    return () => {
      if (!waiting) return
      waiting = false
      this.#waits -= 1
      this.advance()
    }
  }

  /** Ends the watch. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #tick(): void {
    this.#cancel = this.#options.clock.setTimer(this.#part, () => {
      const share = this.#options.share?.() ?? 1
      if (this.#waits === 0) this.#left -= this.#part * share
      if (this.#left > this.#part / 100) return this.#tick()
      this.#cancel = undefined
      this.#options.onStall()
    })
  }
}
