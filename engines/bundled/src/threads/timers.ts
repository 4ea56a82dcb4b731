/** Timers of threads. A test replaces them to control the time. */
export interface Timers {
  /** Calls `run` once after `milliseconds`. The returned function cancels it. */
  setTimer(milliseconds: number, run: () => void): () => void
}

/** The machine's timers. They keep no process alive. */
export const systemTimers: Timers = {
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}
