/** The time of day and timers, given to whatever waits so that a test can turn the hands. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `milliseconds`; the returned function takes it back. It keeps no process alive. */
  setTimer(milliseconds: number, run: () => void): () => void
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}
