import { type EngineFailedError, EngineStuckError } from '../../../ports/engine-state.ts'
import type { Thread } from '../threads/thread.ts'
import type { PooledThread } from '../threads/thread-pool.ts'
import { untilAborted } from '../threads/until-aborted.ts'
import { Watchdog, type WatchdogOptions } from '../threads/watchdog.ts'
import { SpeechFailedError } from '../errors.ts'

/** `workerData` of a worker thread. */
export interface SpeakerData {
  /** Path of flite as WebAssembly. */
  readonly program: string
}

/** The answer of a worker thread to a job. */
export type WorkerReply<Result> = { readonly result: Result } | { readonly failure: string }

/** Options of {@link PoolThread}. `patience` applies to one job. */
export interface PoolThreadOptions extends WatchdogOptions {
  /**
   * Time for an aborted job to end before its thread is ended, in milliseconds. Most utterances end within that time,
   * and a new thread costs more than their end.
   * @default 1000
   */
  readonly overrun?: number
}

/** One worker thread of a pool. Runs one job at a time. Keeps the process alive only while a caller waits. */
export class PoolThread<Job, Result> implements PooledThread {
  readonly #worker: Thread<WorkerReply<Result>>
  readonly #watchdog: Watchdog
  readonly #overrun: number
  #pending: PromiseWithResolvers<Result> | undefined
  #deadline: NodeJS.Timeout | undefined
  #alive = true

  constructor(worker: Thread<WorkerReply<Result>>, { overrun = 1000, ...watching }: PoolThreadOptions = {}) {
    this.#worker = worker
    this.#overrun = overrun
    this.#watchdog = new Watchdog(
      () => this.#lose(new EngineStuckError('A speech thread did not answer and was ended')),
      watching,
    )
    worker.on('message', (reply) => {
      if ('result' in reply) this.#settle((pending) => pending.resolve(reply.result))
      else this.#settle((pending) => pending.reject(new SpeechFailedError(reply.failure)))
    })
    worker.on('error', (error) => this.#lose(new SpeechFailedError('A speech thread crashed', { cause: error })))
    worker.on('messageerror', (cause) =>
      this.#lose(new SpeechFailedError('The answer of a speech thread is unreadable', { cause })),
    )
    worker.on('exit', () => this.#lose(new SpeechFailedError('A speech thread ended')))
    worker.unref()
  }

  /** False after the thread was ended or lost. It then accepts no work. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Runs one job. Call it only after {@link PoolThread.free} has resolved, and only while the thread is alive.
   * @throws EngineFailedError when the job fails or its thread is lost, and the signal's reason as soon as it aborts.
   */
  async work(job: Job, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    const pending = Promise.withResolvers<Result>()
    this.#pending = pending
    this.#worker.ref()
    this.#watchdog.watch()
    this.#worker.postMessage(job, [])
    try {
      return await untilAborted(pending.promise, signal)
    } finally {
      // The answer may have come at this moment: the next job must not inherit the deadline.
      if (this.#pending === pending) this.#endSoon()
    }
  }

  /** Resolves when the last job, aborted or not, has ended or its thread is lost. */
  async free(): Promise<void> {
    await this.#pending?.promise.catch(() => undefined)
  }

  /** Ends the thread; its job rejects. Resolves after the thread's exit. */
  async end(): Promise<void> {
    this.#lose(new SpeechFailedError('A speech thread was ended'))
    await this.#worker.terminate()
  }

  /** Gives an aborted job some time, then ends the thread. */
  #endSoon(): void {
    // Both stay referenced: other jobs may wait for this thread, and nothing else would keep the process alive.
    this.#deadline = setTimeout(() => {
      this.#lose(new SpeechFailedError('A speech thread was ended'))
    }, this.#overrun)
  }

  #settle(by: (pending: PromiseWithResolvers<Result>) => void): void {
    this.#watchdog.rest()
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    this.#worker.unref()
    const pending = this.#pending
    this.#pending = undefined
    if (pending !== undefined) by(pending)
  }

  #lose(reason: EngineFailedError): void {
    if (!this.#alive) return
    this.#alive = false
    this.#settle((pending) => pending.reject(reason))
    void this.#worker.terminate()
  }
}
