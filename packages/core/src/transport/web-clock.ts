import type { Clock } from './transport.ts'

/** Longest delay of `setTimeout`, about 25 days. A longer one fires at once. */
const MAX_DELAY = 2 ** 31 - 1

/** The clock of every runtime, Node included. Delays beyond the limit of `setTimeout` are split. */
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
