import type { Clock } from '@svc-audio/core/pure'
import { sleep } from 'n8n-workflow'

/** The longest delay that a timer can hold, about 25 days; it would fire a longer one at once. */
const MAX_DELAY = 2 ** 31 - 1

/** Time as n8n keeps it: a community node may have no timer of its own. */
export const n8nClock: Clock = {
  now: () => performance.now(),
  setTimer(milliseconds, run) {
    const takenBack = new AbortController()
    // A `sleep` that was taken back rejects, or, in n8n before 2.0, ends in its own time.
    const end = (): void => {
      if (!takenBack.signal.aborted) run()
    }
    void sleep(Math.min(milliseconds, MAX_DELAY), takenBack.signal).then(end, () => {})
    return () => takenBack.abort()
  },
}
