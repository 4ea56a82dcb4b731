import type { Clock } from '../../src/domain/clock.ts'

/** A clock that the test advances. */
export class ManualClock implements Clock {
  #now: number
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()

  constructor(now = 1_800_000_000_000) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  /** Pending timers. */
  get timers(): number {
    return this.#timers.size
  }

  /** Time to each pending timer, in milliseconds. */
  get delays(): readonly number[] {
    return Array.from(this.#timers, ({ at }) => at - this.#now)
  }

  setTimer(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Advances the time and runs each due timer, with its immediate consequences. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = next.at
      next.run()
      await settle()
    }
    this.#now = end
    await settle()
  }
}

/** Runs everything that waits for no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
