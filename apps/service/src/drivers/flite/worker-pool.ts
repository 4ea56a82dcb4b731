import type { Worker } from 'node:worker_threads'

import { EngineClosedError } from './engine-closed-error.ts'
import type { WatchdogOptions } from '../threads/watchdog.ts'
import { PoolThread } from './pool-thread.ts'
import { SpeechFailedError } from './speech-failed-error.ts'

/** How a pool is made. A thread that is silent over one job for longer than `patience` is ended and replaced. */
export interface WorkerPoolOptions extends WatchdogOptions {
  /** Most threads at a time. They are started when work comes, and again after one was lost. */
  readonly size: number
  /** Starts a thread that answers each message with one `WorkerReply`. */
  readonly spawn: () => Worker
  /**
   * How long a thread may go on with work that nobody waits for, in milliseconds. Most utterances end within that time,
   * and a new thread costs more than their end.
   * @default 1000
   */
  readonly overrun?: number
}

interface Ticket<Job, Result> {
  readonly job: Job
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/**
 * A bounded number of threads and a queue before them, first come, first served. Who hands in one job at a time
 * therefore shares the threads fairly with all others. Idle threads do not keep the process alive.
 */
export class WorkerPool<Job, Result> {
  readonly #options: WorkerPoolOptions
  readonly #queue = new Set<Ticket<Job, Result>>()
  readonly #idle: PoolThread<Job, Result>[] = []
  readonly #busy = new Map<PoolThread<Job, Result>, Ticket<Job, Result>>()
  #closed = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /**
   * Has a job done.
   * @throws The signal's reason as soon as it aborts; a job that runs already is finished in vain or its thread ended.
   * @throws SpeechFailedError when the job fails or its thread is lost or cannot be started; EngineStuckError when it
   * hangs; EngineClosedError after {@link WorkerPool.close}.
   */
  async run(job: Job, signal?: AbortSignal): Promise<Result> {
    if (this.#closed) throw new EngineClosedError()
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const ticket: Ticket<Job, Result> = { job, resolve, reject }
    const onAbort = (): void => {
      reject(signal?.reason)
      this.#forget(ticket)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#queue.add(ticket)
    this.#dispatch()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Ends every thread and rejects what waits for one with an EngineClosedError. Can be called again. */
  async close(): Promise<void> {
    this.#closed = true
    const threads = [...this.#idle, ...this.#busy.keys()]
    for (const ticket of [...this.#queue, ...this.#busy.values()]) ticket.reject(new EngineClosedError())
    this.#queue.clear()
    await Promise.all(threads.map(async (thread) => thread.end()))
  }

  #dispatch(): void {
    for (const ticket of this.#queue) {
      if (this.#closed) return
      try {
        const thread = this.#takeThread()
        if (thread === undefined) return
        this.#busy.set(thread, ticket)
        void this.#work(thread, ticket)
      } catch (error) {
        ticket.reject(error)
      }
      this.#queue.delete(ticket)
    }
  }

  /** The thread that has been idle longest, or a new one, or `undefined` while all are busy. */
  #takeThread(): PoolThread<Job, Result> | undefined {
    for (let thread = this.#idle.shift(); thread !== undefined; thread = this.#idle.shift()) {
      if (thread.alive) return thread
    }
    if (this.#busy.size >= this.#options.size) return undefined
    return new PoolThread(this.#spawn(), this.#options)
  }

  #spawn(): Worker {
    try {
      return this.#options.spawn()
    } catch (error) {
      throw new SpeechFailedError(`A speech thread cannot be started: ${String(error)}`, { cause: error })
    }
  }

  async #work(thread: PoolThread<Job, Result>, ticket: Ticket<Job, Result>): Promise<void> {
    try {
      ticket.resolve(await thread.work(ticket.job))
    } catch (error) {
      ticket.reject(error)
    }
    this.#busy.delete(thread)
    if (thread.alive) this.#idle.push(thread)
    this.#dispatch()
  }

  /** Takes back a job that nobody waits for any more. */
  #forget(ticket: Ticket<Job, Result>): void {
    if (this.#queue.delete(ticket)) return
    for (const [thread, current] of this.#busy) {
      if (current === ticket) thread.endAfter(this.#options.overrun ?? 1000)
    }
  }
}
