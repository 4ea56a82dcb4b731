import { type Timers, systemTimers } from './timers.ts'

/** How a thread with work that gives no sign of life is noticed. */
export interface WatchdogOptions {
  /** Timers, for tests. @default the machine's clock */
  readonly clock?: Timers | undefined
  /**
   * How long a thread with work may give no sign of life, in milliseconds that it was given. The longest steps, a
   * sentence to speak or an utterance to recognize, take two seconds at most on an idle machine.
   * @default 60000
   */
  readonly patience?: number | undefined
  /**
   * The share of the time since its last call that the thread was given, from 0 to 1. On a machine with other work it
   * waits for a processor, and that does not count.
   * @default all of the time
   */
  readonly share?: (() => number) | undefined
}

/** See {@link WatchdogOptions.patience}. */
export const DEFAULT_PATIENCE = 60_000

/**
 * The time is counted in parts. When this thread blocks for long and reads no response, one timer fires late, which
 * counts as one part.
 */
const PARTS = 4

/** Shares do not add up exactly. */
const NO_PART = 0.01

/** Notices a thread that has work and gives no sign of life. */
export class Watchdog {
  readonly #onSilence: () => void
  readonly #clock: Timers
  readonly #patience: number
  readonly #share: () => number
  #cancel: (() => void) | undefined

  /** @param onSilence Called once when the time is over. */
  constructor(
    onSilence: () => void,
    { clock = systemTimers, patience = DEFAULT_PATIENCE, share = () => 1 }: WatchdogOptions = {},
  ) {
    this.#onSilence = onSilence
    this.#clock = clock
    this.#patience = patience
    this.#share = share
  }

  /**
   * Restarts the time. Call it when the thread gets work, or gives a sign of life and has more.
   * @param extra Time for this work beyond the common time, in milliseconds.
   */
  watch(extra: number = 0): void {
    this.#wait((this.#patience + extra) / PARTS, PARTS)
  }

  /** The thread has nothing to do. */
  rest(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /**
   * @param left Parts until silence.
   * @param measured Whether this part began with a measurement. A measurement at each sign of life would cost too much,
   * so the first part counts in full.
   */
  #wait(part: number, left: number, measured: boolean = false): void {
    this.rest()
    if (left < NO_PART) return this.#onSilence()
    this.#cancel = this.#clock.setTimer(part, () => {
      const share = this.#share()
      this.#wait(part, left - (measured ? share : 1), true)
    })
  }
}
