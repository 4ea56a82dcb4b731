import type { Thread } from '../threads/thread.ts'
import { ThreadPool, type ThreadPoolOptions } from '../threads/thread-pool.ts'
import { EngineClosedError, SpeechFailedError } from '../errors.ts'
import { PoolThread, type PoolThreadOptions, type WorkerReply } from './pool-thread.ts'

/**
 * Options of {@link WorkerPool}. A thread that is silent over one job for longer than `patience` is ended and replaced.
 */
export interface WorkerPoolOptions<Result>
  extends PoolThreadOptions, Pick<ThreadPoolOptions<unknown>, 'size' | 'keep'> {
  /** Starts a thread that answers each message with one `WorkerReply`. */
  readonly spawn: () => Thread<WorkerReply<Result>>
}

/** Runs jobs in a {@link ThreadPool}. Idle threads do not keep the process alive. */
export class WorkerPool<Job, Result> {
  readonly #pool: ThreadPool<PoolThread<Job, Result>>

  constructor(options: WorkerPoolOptions<Result>) {
    this.#pool = new ThreadPool({
      ...options,
      spawn: async () => new PoolThread(start(options.spawn), options),
      closed: () => new EngineClosedError(),
    })
  }

  /**
   * Runs a job.
   * @throws The signal's reason as soon as it aborts. A running job then ends unused, or its thread is ended.
   * @throws SpeechFailedError when the job fails or its thread is lost or cannot be started; EngineStuckError when it
   * hangs; EngineClosedError after {@link WorkerPool.close}.
   */
  run(job: Job, signal?: AbortSignal): Promise<Result> {
    return this.#pool.use(signal, (thread, either) => thread.work(job, either))
  }

  /** Ends every thread. Rejects queued and running jobs with an EngineClosedError. Can be called again. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}

function start<Result>(spawn: WorkerPoolOptions<Result>['spawn']): Thread<WorkerReply<Result>> {
  try {
    return spawn()
  } catch (error) {
    throw new SpeechFailedError(`A speech thread cannot be started: ${String(error)}`, { cause: error })
  }
}
