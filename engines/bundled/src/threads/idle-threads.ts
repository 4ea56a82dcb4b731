import { type Timers, systemTimers } from './timers.ts'

/** Options of {@link IdleThreads}. */
export interface IdleThreadsOptions {
  /** @default the machine's clock */
  readonly clock?: Timers | undefined
  /** Time with that many idle threads before one of them is released, in milliseconds. @default 60000 */
  readonly idleTime?: number | undefined
  /** Idle threads that are never released. @default 0 */
  readonly keep?: number | undefined
}

/** See {@link IdleThreadsOptions.idleTime}. */
const DEFAULT_IDLE_TIME = 60_000

/**
 * Threads that wait for work. They take turns, so each has time to prepare for its next work. The set still shrinks to
 * the number needed at a time: a timer measures how long the number of idle threads has been that high, not how long
 * one thread has been idle. Timers are therefore a stack, and threads a queue.
 */
export class IdleThreads<Thread extends { readonly alive: boolean }> {
  readonly #release: (thread: Thread) => void
  readonly #clock: Timers
  readonly #idleTime: number
  readonly #keep: number
  readonly #threads: Thread[] = []
  /** Cancels the timer of each thread beyond `keep`. */
  readonly #timers: (() => void)[] = []

  /** @param onRelease Called with each released thread. */
  constructor(
    onRelease: (thread: Thread) => void,
    { clock = systemTimers, idleTime = DEFAULT_IDLE_TIME, keep = 0 }: IdleThreadsOptions = {},
  ) {
    this.#release = onRelease
    this.#clock = clock
    this.#idleTime = idleTime
    this.#keep = keep
  }

  /** Adds an idle thread. */
  add(thread: Thread): void {
    this.#threads.push(thread)
    if (this.#threads.length <= this.#keep) return
    this.#timers.push(
      this.#clock.setTimer(this.#idleTime, () => {
        // Of the remaining timers, this one was set first.
        this.#timers.shift()
        this.#releaseFirst()
      }),
    )
  }

  /** Takes the thread with the longest idle time, if any. Idle threads can be lost too. */
  take(): Thread | undefined {
    for (let thread = this.#threads.shift(); thread !== undefined; thread = this.#threads.shift()) {
      this.#timers.pop()?.()
      if (thread.alive) return thread
      this.#release(thread)
    }
    return undefined
  }

  /**
   * Releases the thread with the longest idle time, unless no more than `keep` are idle. Lost ones before it go too.
   * @returns True when it released one that was alive.
   */
  releaseOne(): boolean {
    let wasAlive = false
    while (!wasAlive) {
      const cancel = this.#timers.pop()
      if (cancel === undefined) return false
      cancel()
      wasAlive = this.#threads[0]?.alive === true
      this.#releaseFirst()
    }
    return true
  }

  /** Releases all threads. */
  clear(): void {
    for (const cancel of this.#timers.splice(0)) cancel()
    while (this.#threads.length > 0) this.#releaseFirst()
  }

  #releaseFirst(): void {
    const thread = this.#threads.shift()
    if (thread !== undefined) this.#release(thread)
  }
}
