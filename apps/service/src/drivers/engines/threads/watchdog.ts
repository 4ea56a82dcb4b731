import { type Clock, systemClock } from '../../../domain/clock.ts'

/** How long a thread is waited for. */
export interface WatchdogOptions {
  /** @default the machine's own */
  readonly clock?: Clock | undefined
  /**
   * How long a thread may go without a sign of life while it has work, in milliseconds. The longest steps, a sentence to
   * speak or an utterance to recognize, take two seconds at most on a machine that does nothing else.
   * @default 60000
   */
  readonly patience?: number | undefined
}

/** See {@link WatchdogOptions.patience}. */
export const DEFAULT_PATIENCE = 60_000

/**
 * The time is counted in parts: one long standstill of this thread, in which no answer could be read, makes one timer
 * fire late and is one part.
 */
const PARTS = 4

/** Notices when a thread has work and gives no sign of life. */
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
   * The thread has work, or has given a sign of life and has more: the time restarts.
   * @param extra What this work may take beyond the common time, in milliseconds.
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
