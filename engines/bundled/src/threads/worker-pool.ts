import { EngineFailedError } from '@svc-audio/engine-ports'
import { SupervisedThread, type ThreadJob } from './supervised-thread.ts'
import type { Thread, WatchdogOptions } from './thread.ts'
import { ThreadPool, type ThreadPoolOptions } from '@svc-audio/engine-ports/driver'

/** The response of a thread to a job. */
export type WorkerReply<Result> = { readonly result: Result } | { readonly failure: string }

/**
 * Options of {@link WorkerPool}. A thread that is silent over one job for longer than `patience` is ended and replaced.
 */
export interface WorkerPoolOptions<Result>
  extends WatchdogOptions, Pick<ThreadPoolOptions<unknown>, 'size' | 'keep' | 'onIdle'> {
  /** Starts a thread that answers each message with one `WorkerReply`. */
  readonly spawn: () => Thread<WorkerReply<Result>>
  /**
   * Time for an aborted job to end before its thread is ended, in milliseconds. Most utterances end within that time,
   * and a new thread costs more than their end.
   * @default 1000
   */
  readonly overrun?: number
}

/** Runs jobs in a {@link ThreadPool}. Idle threads do not keep the process alive. */
export class WorkerPool<Job, Result> {
  readonly #pool: ThreadPool<SupervisedThread<Job, WorkerReply<Result>>>

  constructor({ size, keep, onIdle, spawn, overrun = 1000, ...watching }: WorkerPoolOptions<Result>) {
    const options = {
      ...watching,
      label: 'A speech thread',
      stop: { timeout: overrun, confirms: () => true },
    }
    this.#pool = new ThreadPool({
      size,
      keep,
      onIdle,
      clock: watching.clock,
      spawn: async () => new SupervisedThread(spawn, options),
      label: 'The speech engine',
    })
  }

  /**
   * Runs a job.
   * @throws The signal's reason as soon as it aborts. A running job then ends unused, or its thread is ended.
   * @throws EngineFailedError when the job fails or its thread is lost or cannot be started; EngineStuckError when it
   * hangs; EngineClosedError after {@link WorkerPool.close}.
   */
  run(job: Job, signal?: AbortSignal): Promise<Result> {
    return this.#pool.use(signal, (thread, either) => thread.run(exchange<Job, Result>(job), either))
  }

  /**
   * Ends an idle thread, if there is one beyond `keep`.
   * @returns True when it ends one.
   */
  releaseIdle(): boolean {
    return this.#pool.releaseIdle()
  }

  /** Ends every thread. Rejects queued and running jobs with an EngineClosedError. Can be called again. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** A message and its response. */
function exchange<Job, Result>(message: Job): ThreadJob<Job, WorkerReply<Result>, Result> {
  return {
    start(thread) {
      thread.watch()
      thread.post(message)
    },
    receive: (reply) => ('result' in reply ? reply : { error: new EngineFailedError(reply.failure) }),
  }
}
