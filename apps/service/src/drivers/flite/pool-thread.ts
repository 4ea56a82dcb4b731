import type { Worker } from 'node:worker_threads'

import { SpeechFailedError } from './speech-failed-error.ts'

/** What a worker thread posts for each job. */
export type WorkerReply<Result> = { readonly result: Result } | { readonly failure: string }

/** One worker thread of a pool, which does one job at a time. It keeps the process alive only while someone waits. */
export class PoolThread<Job, Result> {
  readonly #worker: Worker
  #pending: PromiseWithResolvers<Result> | undefined
  #deadline: NodeJS.Timeout | undefined
  #alive = true

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (reply: WorkerReply<Result>) => {
      if ('result' in reply) this.#settle((pending) => pending.resolve(reply.result))
      else this.#settle((pending) => pending.reject(new SpeechFailedError(reply.failure)))
    })
    worker.on('error', (error) => this.#lose('A speech thread crashed', error))
    worker.on('messageerror', (error) => this.#lose('The answer of a speech thread cannot be read', error))
    worker.on('exit', () => this.#lose('A speech thread ended'))
    worker.unref()
  }

  /** False once the thread was ended or lost; it takes no further work then. */
  get alive(): boolean {
    return this.#alive
  }

  /** Does one job. Must not be called before the one before has settled. Rejects with a SpeechFailedError. */
  async work(job: Job): Promise<Result> {
    this.#pending = Promise.withResolvers<Result>()
    this.#worker.ref()
    this.#worker.postMessage(job, [])
    return this.#pending.promise
  }

  /** Lets the present job, for which nobody waits any more, go on for so many milliseconds and then ends the thread. */
  endAfter(milliseconds: number): void {
    // the answer may have come in this very moment: the next job must not inherit the deadline
    if (this.#pending === undefined) return
    // neither is unreferenced: other jobs may wait for this thread, and nothing else would keep the process alive
    this.#deadline ??= setTimeout(() => {
      this.#lose('A speech thread was ended')
    }, milliseconds)
  }

  /** Ends the thread; its job rejects. Resolves once it is gone. */
  async end(): Promise<void> {
    this.#lose('A speech thread was ended')
    await this.#worker.terminate()
  }

  #settle(by: (pending: PromiseWithResolvers<Result>) => void): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    this.#worker.unref()
    const pending = this.#pending
    this.#pending = undefined
    if (pending !== undefined) by(pending)
  }

  #lose(message: string, cause?: unknown): void {
    if (!this.#alive) return
    this.#alive = false
    this.#settle((pending) => pending.reject(new SpeechFailedError(message, { cause })))
    void this.#worker.terminate()
  }
}
