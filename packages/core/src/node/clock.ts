import type { Clock } from '../transport/transport.ts'

/** Time as Node keeps it. */
export const nodeClock: Clock = {
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}
