import { PcmReader } from '../pcm/pcm-reader.ts'
import { RecordingJob } from './recording-job.ts'
import type { RecordingReply, RecordingRequest } from './recording-protocol.ts'
import { SupervisedThread, type SupervisedThreadOptions } from './supervised-thread.ts'
import type { Thread } from './thread.ts'
import { ThreadPool } from './thread-pool.ts'

type Reply<Result> = RecordingReply<Result>

/** Options of {@link RecordingPool}. */
export interface RecordingPoolOptions<Result> extends Omit<
  SupervisedThreadOptions<RecordingRequest, Reply<Result>>,
  'stop'
> {
  /** Maximum recordings at a time. */
  readonly size: number
  /** Starts a thread that speaks the protocol of `recording-protocol.ts`. */
  readonly spawn: () => Thread<Reply<Result>>
  /** Returns the time of the last step beyond `patience`, in milliseconds, for that many samples. @default 0 */
  readonly endExtra?: (samples: number) => number
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
}

/**
 * Processes a bounded number of recordings at a time, each in a separate thread. A new thread costs 30 ms, and no state
 * of a recording remains, however it ends. An idle pool has no thread.
 */
export class RecordingPool<Result> {
  readonly #pool: ThreadPool<SupervisedThread<RecordingRequest, Reply<Result>>>
  readonly #endExtra: ((samples: number) => number) | undefined
  readonly #othersWait: (() => boolean) | undefined

  constructor({ size, spawn, endExtra, othersWait, ...options }: RecordingPoolOptions<Result>) {
    this.#endExtra = endExtra
    this.#othersWait = othersWait
    this.#pool = new ThreadPool({ size, label: options.label, spawn: async () => new SupervisedThread(spawn, options) })
  }

  /**
   * Processes 16 kHz mono PCM in chunks of any size. Always closes the source.
   * @throws EngineFailedError when the thread is lost or cannot be started, EngineStuckError when it hangs,
   * EngineClosedError after {@link RecordingPool.close}, the signal's reason when it aborts, and the source's error.
   */
  async listen(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Result> {
    const reader = new PcmReader(pcm)
    try {
      const job = new RecordingJob<Result>(reader, this.#endExtra, this.#othersWait)
      return await this.#pool.use(options.signal, (thread, signal) => thread.run(job, signal))
    } finally {
      reader.leave()
    }
  }

  /** Ends all recordings in flight. Resolves after the exit of every thread. Can be called again. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}
