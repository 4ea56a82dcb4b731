import { wallClockNow } from './wall-clock.ts'

/** Time and timers. A test replaces the clock to control them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `milliseconds`. The returned function cancels it. The timer keeps no process alive. */
  setTimer(milliseconds: number, run: () => void): () => void
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: wallClockNow,
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}
