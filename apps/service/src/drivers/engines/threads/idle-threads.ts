import { type Clock, systemClock } from '../../../domain/clock.ts'

/** How long idle threads stay. */
export interface IdleThreadsOptions {
  /** @default the machine's own */
  readonly clock?: Clock | undefined
  /** How long so many threads must have been idle before one of them is released, in milliseconds. @default 60000 */
  readonly idleTime?: number | undefined
  /** Idle threads that are never released. @default 0 */
  readonly keep?: number | undefined
}

/** See {@link IdleThreadsOptions.idleTime}. */
const DEFAULT_IDLE_TIME = 60_000

/**
 * Threads that wait for work. They take turns, so that each has time to get ready for its next work; still there are
 * soon no more of them than are needed at a time: it is not a thread's own rest that is timed, but how long there has
 * been one more idle thread than before. So timers are a stack, and threads a queue.
 */
export class IdleThreads<Thread extends { readonly alive: boolean }> {
  readonly #release: (thread: Thread) => void
  readonly #clock: Clock
  readonly #idleTime: number
  readonly #keep: number
  readonly #threads: Thread[] = []
  /** For each thread beyond `keep`, what cancels its timer. */
  readonly #timers: (() => void)[] = []

  /** @param onRelease Called with each thread that is no longer here and was not taken. */
  constructor(
    onRelease: (thread: Thread) => void,
    { clock = systemClock, idleTime = DEFAULT_IDLE_TIME, keep = 0 }: IdleThreadsOptions = {},
  ) {
    this.#release = onRelease
    this.#clock = clock
    this.#idleTime = idleTime
    this.#keep = keep
  }

  /** Puts a thread here that has nothing to do. */
  add(thread: Thread): void {
    this.#threads.push(thread)
    if (this.#threads.length <= this.#keep) return
    this.#timers.push(
      this.#clock.setTimer(this.#idleTime, () => {
        // of the timers that are left, this one was set first
        this.#timers.shift()
        this.#releaseFirst()
      }),
    )
  }

  /** Takes the thread that has been idle longest, if any; idle ones can be lost too. */
  take(): Thread | undefined {
    for (let thread = this.#threads.shift(); thread !== undefined; thread = this.#threads.shift()) {
      this.#timers.pop()?.()
      if (thread.alive) return thread
      this.#release(thread)
    }
    return undefined
  }

  /** Lets all go. */
  clear(): void {
    for (const cancel of this.#timers.splice(0)) cancel()
    while (this.#threads.length > 0) this.#releaseFirst()
  }

  #releaseFirst(): void {
    const thread = this.#threads.shift()
    if (thread !== undefined) this.#release(thread)
  }
}
