import type { Worker } from 'node:worker_threads'

import { type EngineFailedError, EngineStuckError } from '../../ports/engine-failure.ts'
import { Watchdog, type WatchdogOptions } from '../threads/watchdog.ts'
import { SpeechFailedError } from './speech-failed-error.ts'

/** What a worker thread posts for each job. */
export type WorkerReply<Result> = { readonly result: Result } | { readonly failure: string }

/** One worker thread of a pool, which does one job at a time. It keeps the process alive only while someone waits. */
export class PoolThread<Job, Result> {
  readonly #worker: Worker
  readonly #watchdog: Watchdog
  #pending: PromiseWithResolvers<Result> | undefined
  #deadline: NodeJS.Timeout | undefined
  #alive = true

  constructor(worker: Worker, watching: WatchdogOptions = {}) {
    this.#worker = worker
    this.#watchdog = new Watchdog(
      () => this.#lose(new EngineStuckError('A speech thread did not answer and was ended')),
      watching,
    )
    worker.on('message', (reply: WorkerReply<Result>) => {
      if ('result' in reply) this.#settle((pending) => pending.resolve(reply.result))
      else this.#settle((pending) => pending.reject(new SpeechFailedError(reply.failure)))
    })
    worker.on('error', (error) => this.#lose(new SpeechFailedError('A speech thread crashed', { cause: error })))
    worker.on('messageerror', (cause) =>
      this.#lose(new SpeechFailedError('The answer of a speech thread cannot be read', { cause })),
    )
    worker.on('exit', () => this.#lose(new SpeechFailedError('A speech thread ended')))
    worker.unref()
  }

  /** False once the thread was ended or lost; it takes no further work then. */
  get alive(): boolean {
    return this.#alive
  }

  /** Does one job. Must not be called before the one before has settled. Rejects with an EngineFailedError. */
  async work(job: Job): Promise<Result> {
    this.#pending = Promise.withResolvers<Result>()
    this.#worker.ref()
    this.#watchdog.watch()
    this.#worker.postMessage(job, [])
    return this.#pending.promise
  }

  /** Lets the present job, for which nobody waits any more, go on for so many milliseconds and then ends the thread. */
  endAfter(milliseconds: number): void {
    // the answer may have come in this very moment: the next job must not inherit the deadline
    if (this.#pending === undefined) return
    // neither is unreferenced: other jobs may wait for this thread, and nothing else would keep the process alive
    this.#deadline ??= setTimeout(() => {
      this.#lose(new SpeechFailedError('A speech thread was ended'))
    }, milliseconds)
  }

  /** Ends the thread; its job rejects. Resolves once it is gone. */
  async end(): Promise<void> {
    this.#lose(new SpeechFailedError('A speech thread was ended'))
    await this.#worker.terminate()
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
