import { unlessAborted } from '@svc-audio/core/adapter'
import { EngineFailedError, EngineStuckError } from '@svc-audio/engine-ports'
import { type Thread, Watchdog, type WatchdogOptions } from './thread.ts'
import type { PooledThread } from '@svc-audio/engine-ports/driver'

/** A thread, as its current job uses it. */
export interface BusyThread<Request> {
  /** Aborts when the job is over, however it ends. */
  readonly over: AbortSignal
  /** Sends a message. */
  post(request: Request, transfer?: readonly ArrayBuffer[]): void
  /**
   * Restarts the watchdog's time. Call it when the thread gets work, or gives a sign of life and has more.
   * @param extra Time beyond `patience`, in milliseconds. @default 0
   */
  watch(extra?: number): void
  /** Stops the watchdog's time: the thread has nothing to do. */
  rest(): void
  /** Makes this job the thread's last. */
  retire(): void
}

/** The end of a job: its result, or the error of this job alone. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: EngineFailedError }

/** One piece of work for a {@link SupervisedThread}. */
export interface ThreadJob<Request, Reply, Result> {
  /** Sends the work. When its promise rejects, the job is stopped and rejects with that error. */
  start(thread: BusyThread<Request>): Promise<void> | void
  /** Handles a message of the thread. Returns the outcome when the thread has finished the job. */
  receive(reply: Reply): Outcome<Result> | undefined
}

/** How a thread ends an aborted job and stays usable. */
export interface StopOptions<Request, Reply> {
  /** Message that asks the thread to stop. @default none: the thread finishes the job, and its result is discarded */
  readonly request?: Request
  /** Whether this message confirms the stop. Other messages are ignored until then. */
  readonly confirms: (reply: Reply) => boolean
  /** Time for the confirmation before the thread is ended, in milliseconds. */
  readonly timeout: number
}

/** Options of {@link SupervisedThread}. `patience` applies to the time that a job watches. */
export interface SupervisedThreadOptions<Request, Reply> extends WatchdogOptions {
  /** Its name in messages for the operator, for example `The diarizer`. */
  readonly label: string
  /** How an aborted job ends. @default the thread runs one job and exits, however the job ends */
  readonly stop?: StopOptions<Request, Reply>
}

/** The job of a thread, without its types. */
interface Running<Reply> {
  readonly over: AbortController
  readonly receive: (reply: Reply) => void
  readonly reject: (reason: unknown) => void
}

/**
 * One worker thread. It runs one job at a time, and keeps the process alive only while it has one. A watchdog ends a
 * thread that hangs. A lost thread rejects its job and accepts no other: its owner starts a new thread.
 */
export class SupervisedThread<Request, Reply> implements PooledThread {
  readonly #worker: Thread<Reply>
  readonly #options: SupervisedThreadOptions<Request, Reply>
  readonly #watchdog: Watchdog
  #job: Running<Reply> | undefined
  /** Resolves when an aborted job has ended. */
  #stopping: PromiseWithResolvers<undefined> | undefined
  #deadline: NodeJS.Timeout | undefined
  #alive = true
  #retired = false

  /**
   * @param spawn Starts the worker.
   * @throws EngineFailedError when the worker cannot be started.
   */
  constructor(spawn: () => Thread<Reply>, options: SupervisedThreadOptions<Request, Reply>) {
    this.#options = options
    const { label } = options
    const worker = start(spawn, label)
    this.#watchdog = new Watchdog(() => this.#lose(new EngineStuckError(`${label} did not answer and was ended`)), {
      ...options,
      share: () => worker.share?.() ?? 1,
    })
    worker.on('message', (reply) => this.#receive(reply))
    worker.on('error', (cause) => this.#fail(`failed: ${messageOf(cause)}`, cause))
    worker.on('messageerror', (cause) => this.#fail('gave an unreadable answer', cause))
    worker.on('exit', () => this.#fail('ended'))
    worker.unref()
    this.#worker = worker
  }

  /** False after the thread was ended, lost or used up. It then accepts no job. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Runs one job. Call it only after {@link SupervisedThread.free} has resolved.
   * @throws The job's error; EngineFailedError when the thread is lost; EngineStuckError when it hangs; the signal's
   * reason as soon as it aborts.
   */
  async run<Result>(job: ThreadJob<Request, Reply, Result>, signal: AbortSignal): Promise<Result> {
    try {
      signal.throwIfAborted()
      if (!this.#alive) throw this.#failure('ended')
      return await unlessAborted(this.#run(job), signal)
    } finally {
      // The thread has not finished the job: the caller aborted, or the job could not be sent.
      if (this.#job !== undefined) this.#stop(this.#job, signal.reason)
      if (this.#options.stop === undefined || this.#retired) this.#fail('has run its job')
    }
  }

  /** Resolves when the thread can take the next job, or is lost. A thread for one job has then exited. */
  async free(): Promise<void> {
    await this.#stopping?.promise
    if (!this.#alive && (this.#options.stop === undefined || this.#retired)) await this.#worker.terminate()
  }

  /** Ends the thread; its job rejects. Resolves after the thread's exit. */
  async end(): Promise<void> {
    this.#fail('was ended')
    await this.#worker.terminate()
  }

  #run<Result>(job: ThreadJob<Request, Reply, Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const receive = (reply: Reply): void => {
      const outcome = job.receive(reply)
      if (outcome === undefined) return
      this.#finish()
      if ('result' in outcome) resolve(outcome.result)
      else reject(outcome.error)
    }
    const running: Running<Reply> = { over: new AbortController(), receive, reject }
    this.#job = running
    this.#worker.ref()
    const sent = job.start({
      over: running.over.signal,
      post: (request, transfer = []) => this.#worker.postMessage(request, transfer),
      watch: (extra) => this.#watchdog.watch(extra),
      rest: () => this.#watchdog.rest(),
      retire: () => (this.#retired = true),
    })
    sent?.catch((error: unknown) => this.#stop(running, error))
    return promise
  }

  #receive(reply: Reply): void {
    if (this.#stopping === undefined) this.#job?.receive(reply)
    else if (this.#options.stop?.confirms(reply) === true) this.#finish()
  }

  /** Rejects a job that the thread has not finished. Gives the thread some time to end the job, then ends the thread. */
  #stop(job: Running<Reply>, reason: unknown): void {
    if (this.#job !== job) return
    this.#leaveJob()
    job.reject(reason)
    const { stop } = this.#options
    if (stop === undefined) return this.#fail('has run its job')
    this.#stopping = Promise.withResolvers()
    if (stop.request !== undefined) this.#worker.postMessage(stop.request, [])
    // Thread and timer stay referenced: other jobs may wait for this thread, and nothing else would keep the process
    // alive.
    this.#deadline = setTimeout(() => this.#fail('did not stop and was ended'), stop.timeout)
  }

  /** The thread has finished its job, or is lost. */
  #finish(): void {
    this.#leaveJob()
    clearTimeout(this.#deadline)
    this.#stopping?.resolve(undefined)
    this.#stopping = undefined
    this.#worker.unref()
  }

  #leaveJob(): void {
    this.#watchdog.rest()
    this.#job?.over.abort()
    this.#job = undefined
  }

  #failure(what: string, cause?: unknown): EngineFailedError {
    return new EngineFailedError(`${this.#options.label} ${what}`, { cause })
  }

  #fail(what: string, cause?: unknown): void {
    if (this.#alive) this.#lose(this.#failure(what, cause))
  }

  #lose(reason: EngineFailedError): void {
    if (!this.#alive) return
    this.#alive = false
    this.#job?.reject(reason)
    this.#finish()
    void this.#worker.terminate()
  }
}

function start<Reply>(spawn: () => Thread<Reply>, label: string): Thread<Reply> {
  try {
    return spawn()
  } catch (error) {
    throw new EngineFailedError(`${label} cannot be started: ${String(error)}`, { cause: error })
  }
}

/** C code aborts by throwing a string. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
