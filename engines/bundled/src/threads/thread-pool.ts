import { EngineClosedError } from '@svc-audio/engine-ports'
import { WaitQueue } from '@svc-audio/engine-ports/driver'
import { IdleThreads, type IdleThreadsOptions } from './idle-threads.ts'

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
