import { Changes } from './upstream/changes.ts'
import type { WaitOptions } from './upstream/recorded-request.ts'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A clock that a test moves. Pass it to the client as `clock`. */
export interface TestClock {
  /** Milliseconds since the clock was made. */
  now(): number
  /** Calls `run` when the clock has moved this far. Returns a function that cancels the timer. */
  setTimer(milliseconds: number, run: () => void): () => void
  /** Delays of the waiting timers, in milliseconds from now, the next one first. */
  readonly timers: readonly number[]
  /** Moves the clock and runs every timer that is due, in order. */
  advance(milliseconds: number): void
  /**
   * Resolves with the delay of the first waiting timer that fits, now or as soon as one is set: a client sets the timer
   * of a retry only after the response has arrived.
   * @param fits Selects a timer by its delay. @default any timer
   */
  waitForTimer(fits?: (milliseconds: number) => boolean, options?: WaitOptions): Promise<number>
}

/**
 * Creates a clock for the client under test. Retries, `Retry-After`, polls and deadlines then wait for the test, with or
 * without fake timers.
 * @example
 * const clock = createTestClock()
 * const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, clock })
 * upstream.next('GET /v1/models', status(429, { headers: { 'retry-after': '20' } }))
 * const models = audio.models.list()
 * clock.advance(await clock.waitForTimer((delay) => delay >= 20_000))
 * await models
 */
export function createTestClock(): TestClock {
  const waiting = new Set<Timer>()
  const changes = new Changes()
  let time = 0
  const sorted = (): Timer[] => [...waiting].toSorted((one, other) => one.at - other.at)
  const delays = (): number[] => sorted().map(({ at }) => at - time)
  return {
    now: () => time,
    setTimer(milliseconds, run) {
      const timer = { at: time + Math.max(0, milliseconds), run }
      waiting.add(timer)
      changes.notify()
      return () => void waiting.delete(timer)
    },
    get timers() {
      return delays()
    },
    advance(milliseconds) {
      const end = time + milliseconds
      // A timer may set or cancel others.
      for (let [next] = sorted(); next !== undefined && next.at <= end; [next] = sorted()) {
        waiting.delete(next)
        time = Math.max(time, next.at)
        next.run()
      }
      time = end
    },
    waitForTimer: (fits = () => true, { signal } = {}) => changes.until(() => delays().find(fits), signal),
  }
}
