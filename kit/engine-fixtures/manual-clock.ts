import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** A clock that the test advances. */
export class ManualClock {
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

  /** Advances the time and runs each due timer, with its immediate consequences. Work in progress settles first. */
  async pass(milliseconds: number): Promise<void> {
    await settle()
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

/** Turns of the event loop without a file request after which nothing but timers is left. */
const QUIET_TURNS = 5

/** Threads of Node that access files. */
const FILE_THREADS = 4

/** Runs everything that waits for no timer, with its access to files, however slow the disk is. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some((name) => /^(?:FSReq|CloseReq)/.test(name))) quiet = 0
    // Node does not list reads of whole files. Each thread ends its earlier request before it takes one of these.
    if (quiet === 0) await Promise.all(Array.from({ length: FILE_THREADS }, () => stat(tmpdir())))
  }
}
