import { describeFault, integer } from '#options'
import { EngineClosedError } from '../engine-errors.ts'
import { WaitQueue } from './wait-queue.ts'

/** Timers of threads. A test replaces them to control the time. */
export interface Timers {
  /** Calls `run` once after `milliseconds`. The returned function cancels it. */
  setTimer(milliseconds: number, run: () => void): () => void
}

/** The machine's timers. They keep no process alive. */
export const systemTimers: Timers = {
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

/** The part of a thread that a pool uses. */
export interface PooledThread {
  /** False when it accepts no more work. */
  readonly alive: boolean
  /** Resolves when it can take the next work, or is no longer alive. */
  free(): Promise<void>
  /** Ends it at once; it is then not alive. Resolves after its exit. Can be called again. */
  end(): Promise<void>
}

/** Options of {@link ThreadPool}. */
export interface ThreadPoolOptions<Thread> extends IdleThreadsOptions {
  /** Maximum threads running. The pool starts them when work comes, and again after one was lost or released. */
  readonly size: number
  /** Starts a thread. Must throw the signal's reason when it aborts. */
  readonly spawn: (signal: AbortSignal) => Promise<Thread>
  /** Its name in messages for the operator, for example `The diarizer`. */
  readonly label: string
  /** Called when a thread has become idle, and no caller waits for it. */
  readonly onIdle?: (() => void) | undefined
}

/**
 * A bounded number of threads and a queue before them, first come, first served. Callers that hand in one piece of work
 * at a time share the threads fairly. Idle threads are ended after a while.
 */
export class ThreadPool<Thread extends PooledThread> {
  readonly #options: ThreadPoolOptions<Thread>
  readonly #line = new WaitQueue()
  readonly #idle: IdleThreads<Thread>
  /** Threads that have not exited. */
  readonly #threads = new Set<Thread>()
  readonly #closing = new AbortController()
  #places: number

  constructor(options: ThreadPoolOptions<Thread>) {
    this.#options = options
    this.#places = options.size
    this.#idle = new IdleThreads((thread) => void this.#end(thread), options)
  }

  /**
   * Ends an idle thread, if there is one beyond `keep`.
   * @returns True when it ends one.
   */
  releaseIdle(): boolean {
    return this.#idle.releaseOne()
  }

  /** Aborts with an EngineClosedError. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * Runs work that needs a thread.
   * @param signal The caller's signal.
   * @param work Must end when its signal aborts, possibly before it starts. That signal combines the caller's and that
   * of {@link ThreadPool.close}.
   * @throws The signal's reason when it aborts before a thread is free; EngineClosedError after {@link
   * ThreadPool.close}; the error of `spawn` (the next caller in the queue retries); and the error of `work`.
   */
  async use<T>(signal: AbortSignal | undefined, work: (thread: Thread, signal: AbortSignal) => Promise<T>): Promise<T> {
    const either = AbortSignal.any([this.closing, ...(signal === undefined ? [] : [signal])])
    await this.#takePlace(either)
    let thread: Thread | undefined
    try {
      thread = this.#idle.take() ?? (await this.#options.spawn(either))
      this.#threads.add(thread)
      return await work(thread, either)
    } finally {
      // The next caller waits until the thread has finished this work. This caller does not.
      void this.#giveBack(thread)
    }
  }

  /** Accepts no more work and ends every thread at once. Resolves after their exits. Can be called again. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineClosedError(this.#options.label))
    this.#idle.clear()
    await Promise.all(Array.from(this.#threads, (thread) => this.#end(thread)))
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#places > 0) this.#places -= 1
    else await this.#line.wait(signal)
  }

  async #giveBack(thread: Thread | undefined): Promise<void> {
    await thread?.free()
    if (thread?.alive === true && !this.closing.aborted) this.#idle.add(thread)
    else if (thread !== undefined) void this.#end(thread)
    if (this.#line.next()) return
    this.#places += 1
    this.#options.onIdle?.()
  }

  async #end(thread: Thread): Promise<void> {
    await thread.end()
    this.#threads.delete(thread)
  }
}

/** Options of `IdleThreads`. */
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

/**
 * Checks the number of threads or processes of an engine.
 * @throws RangeError unless it is a positive integer
 */
export function checkWorkers(workers: number): void {
  const fault = describeFault('workers', integer(1), workers)
  if (fault !== undefined) throw new RangeError(fault)
}
