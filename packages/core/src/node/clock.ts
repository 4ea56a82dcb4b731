import type { Clock } from '../transport/transport.ts'

/** The longest delay that `setTimeout` can hold, about 25 days; it would fire a longer one at once. */
const MAX_DELAY = 2 ** 31 - 1

/** Time as Node keeps it. */
export const nodeClock: Clock = {
  now: () => performance.now(),
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, Math.min(milliseconds, MAX_DELAY))
    return () => clearTimeout(timer)
  },
}
