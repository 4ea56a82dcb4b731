import type { Clock } from '../../src/adapter.ts'

/** A clock that only the test advances. */
export interface SteppedClock extends Clock {
  /** Advances the clock and runs the due timers in order. */
  advance(milliseconds: number): void
  /** Number of active timers. */
  readonly timers: () => number
  /** Delay of each timer, in milliseconds. */
  readonly set: readonly number[]
}

export function steppedClock(): SteppedClock {
  let time = 1000
  const running = new Map<symbol, { readonly at: number; readonly run: () => void }>()
  const set: number[] = []
  const advance = (milliseconds: number): void => {
    const end = time + milliseconds
    for (;;) {
      const [first] = [...running].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)
      if (first === undefined) break
      const [timer, { at, run }] = first
      running.delete(timer)
      time = Math.max(time, at)
      run()
    }
    time = end
  }
  return {
    now: () => time,
    setTimer(milliseconds, run) {
      const timer = Symbol('timer')
      set.push(milliseconds)
      running.set(timer, { at: time + milliseconds, run })
      return () => void running.delete(timer)
    },
    advance,
    timers: () => running.size,
    set,
  }
}
