import type { Clock } from '../../src/adapter.ts'

/** A clock that a test advances. Timers that are due at once run in order without an advance. */
export interface ManualClock extends Clock {
  /** Number of active timers. */
  readonly timers: () => number
  /** Advances the clock. Every due timer runs at its moment, and its effects settle before the next timer. */
  readonly advance: (milliseconds: number) => Promise<void>
  /** Advances the clock to the next timer. @returns the milliseconds that passed, `undefined` without a timer */
  readonly step: () => Promise<number | undefined>
}

/** Runs all pending microtasks and immediates. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** A clock at 0. */
export function manualClock(): ManualClock {
  let now = 0
  const running = new Map<symbol, { at: number; run: () => void }>()
  const next = (): [symbol, { at: number; run: () => void }] | undefined =>
    [...running].toSorted(([, a], [, b]) => a.at - b.at)[0]
  const runNext = async (limit: number): Promise<boolean> => {
    const [key, timer] = next() ?? []
    if (key === undefined || timer === undefined || timer.at > limit) return false
    running.delete(key)
    now = Math.max(now, timer.at)
    timer.run()
    await settled()
    return true
  }
  return {
    now: () => now,
    setTimer(milliseconds, run) {
      const key = Symbol('timer')
      running.set(key, { at: now + milliseconds, run })
      if (milliseconds === 0) setImmediate(() => running.delete(key) && run())
      return () => void running.delete(key)
    },
    timers: () => running.size,
    async advance(milliseconds) {
      const end = now + milliseconds
      await settled()
      while (await runNext(end));
      now = end
      await settled()
    },
    async step() {
      const start = now
      await settled()
      return (await runNext(Infinity)) ? now - start : undefined
    },
  }
}
