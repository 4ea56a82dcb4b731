import type { Clock } from './transport.ts'

/** The longest delay that `setTimeout` can hold, about 25 days; it would fire a longer one at once. */
const MAX_DELAY = 2 ** 31 - 1

/** Time as every runtime keeps it, Node too. Longer delays than `setTimeout` can hold are waited for in parts. */
export const webClock: Clock = {
  now: () => performance.now(),
  setTimer(milliseconds, run) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number): void => {
      timer = setTimeout(() => (left > MAX_DELAY ? wait(left - MAX_DELAY) : run()), Math.min(left, MAX_DELAY))
    }
    wait(milliseconds)
    return () => clearTimeout(timer)
  },
}
