import { WaitQueue } from '../../../domain/wait-queue.ts'
import { IdleThreads, type IdleThreadsOptions } from './idle-threads.ts'

/** A thread, as far as a pool cares. */
export interface PooledThread {
  /** False once it takes no further work. */
  readonly alive: boolean
  /** Resolves when it can take the next work, or is no longer alive. */
  free(): Promise<void>
  /** Ends it, whatever it does; it is not alive from then on. Resolves once it is gone. Can be called again. */
  end(): Promise<void>
}

/** How a pool is made. */
export interface ThreadPoolOptions<Thread> extends IdleThreadsOptions {
  /** Most threads that work at a time. They are started when work comes, and again after one was lost or released. */
  readonly size: number
  /** Starts a thread. Must throw the signal's reason when it aborts. */
  readonly spawn: (signal: AbortSignal) => Promise<Thread>
  /** Makes the error for what is not done when the pool is closed. */
  readonly closed: () => Error
}

/**
 * A bounded number of threads and a queue before them: first come, first served. Who hands in one piece of work at a
 * time therefore shares the threads fairly with all others. Threads that nobody needs for a while are ended.
 */
export class ThreadPool<Thread extends PooledThread> {
  readonly #options: ThreadPoolOptions<Thread>
  readonly #line = new WaitQueue()
  readonly #idle: IdleThreads<Thread>
  /** Those that are not gone yet. */
  readonly #threads = new Set<Thread>()
  readonly #closing = new AbortController()
  #places: number

  constructor(options: ThreadPoolOptions<Thread>) {
    this.#options = options
    this.#places = options.size
    this.#idle = new IdleThreads((thread) => void this.#end(thread), options)
  }

  /** Aborts with what `closed` makes. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * Does work that needs a thread.
   * @param signal Of anyone who wants it.
   * @param work Must end when the signal that it is given aborts, which may have happened in the very moment: the
   * caller's, and that of {@link ThreadPool.close}.
   * @throws The signal's reason when it aborts before a thread is there, what `closed` makes after
   * {@link ThreadPool.close}, what `spawn` throws (the next one in the queue retries), and what `work` throws.
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
      // the next one waits until the thread has finished this work, but not the caller
      void this.#giveBack(thread)
    }
  }

  /** Takes no more work and ends every thread, whatever it does. Resolves once all are gone. Can be called again. */
  async close(): Promise<void> {
    this.#closing.abort(this.#options.closed())
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
    if (!this.#line.next()) this.#places += 1
  }

  async #end(thread: Thread): Promise<void> {
    await thread.end()
    this.#threads.delete(thread)
  }
}
