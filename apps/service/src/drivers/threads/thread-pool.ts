/** A thread, as far as a pool cares. */
export interface PooledThread {
  /** False once it takes no further work. */
  readonly alive: boolean
  /** Resolves when it can take the next work, or is no longer alive. */
  free(): Promise<void>
  /** Ends it, whatever it does. Resolves once it is gone. */
  end(): Promise<void>
}

/** How a pool is made. */
export interface ThreadPoolOptions<Thread> {
  /** Most threads at a time. They are started when work comes, and again after one was lost. */
  readonly size: number
  /** Starts a thread. Must throw the signal's reason when it aborts. */
  readonly spawn: (signal: AbortSignal) => Promise<Thread>
}

/** A bounded number of threads and a queue before them: first come, first served. */
export class ThreadPool<Thread extends PooledThread> {
  readonly #options: ThreadPoolOptions<Thread>
  /** Who waits for a place, each to be told when it has one. */
  readonly #queue = new Set<() => void>()
  readonly #idle: Thread[] = []
  readonly #threads = new Set<Thread>()
  #places: number

  constructor(options: ThreadPoolOptions<Thread>) {
    this.#options = options
    this.#places = options.size
  }

  /**
   * Does work that needs a thread.
   * @throws The signal's reason when it aborts before a thread is there, what `spawn` throws (the next one in the queue
   * tries again), and what `work` throws.
   */
  async use<T>(signal: AbortSignal, work: (thread: Thread) => Promise<T>): Promise<T> {
    await this.#takePlace(signal)
    let thread: Thread | undefined
    try {
      thread = this.#takeIdle() ?? (await this.#options.spawn(signal))
      this.#threads.add(thread)
      return await work(thread)
    } finally {
      // the next one waits until the thread has left this work behind, but not the caller
      void this.#giveBack(thread)
    }
  }

  /** Ends every thread, whatever it does. Resolves once all are gone. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#threads, (thread) => thread.end()))
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#places > 0) {
      this.#places -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const ticket = (): void => resolve(undefined)
    const onAbort = (): void => {
      // who has been told already keeps the place, and gives it back itself
      if (this.#queue.delete(ticket)) reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#queue.add(ticket)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** The thread that has been idle longest, if any; idle ones can be lost too. */
  #takeIdle(): Thread | undefined {
    for (let thread = this.#idle.shift(); thread !== undefined; thread = this.#idle.shift()) {
      if (thread.alive) return thread
      this.#threads.delete(thread)
    }
    return undefined
  }

  async #giveBack(thread: Thread | undefined): Promise<void> {
    await thread?.free()
    if (thread?.alive === true) this.#idle.push(thread)
    else if (thread !== undefined) this.#threads.delete(thread)
    const [next] = this.#queue
    if (next === undefined) {
      this.#places += 1
      return
    }
    this.#queue.delete(next)
    next()
  }
}
