import { type Clock, systemClock } from '../../../domain/clock.ts'

/** Options of {@link Watchdog}. */
export interface WatchdogOptions {
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
  /**
   * How long a thread with work may give no sign of life, in milliseconds. The longest steps, a sentence to speak or an
   * utterance to recognize, take two seconds at most on an idle machine.
   * @default 60000
   */
  readonly patience?: number | undefined
}

/** See {@link WatchdogOptions.patience}. */
export const DEFAULT_PATIENCE = 60_000

/**
 * The time is counted in parts. When this thread blocks for long and reads no answer, one timer fires late, which
 * counts as one part.
 */
const PARTS = 4

/** Notices a thread that has work and gives no sign of life. */
export class Watchdog {
  readonly #onSilence: () => void
  readonly #clock: Clock
  readonly #patience: number
  #cancel: (() => void) | undefined

  /** @param onSilence Called once when the time is over. */
  constructor(onSilence: () => void, { clock = systemClock, patience = DEFAULT_PATIENCE }: WatchdogOptions = {}) {
    this.#onSilence = onSilence
    this.#clock = clock
    this.#patience = patience
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

  #wait(part: number, left: number): void {
    this.rest()
    if (left === 0) return this.#onSilence()
    this.#cancel = this.#clock.setTimer(part, () => this.#wait(part, left - 1))
  }
}
