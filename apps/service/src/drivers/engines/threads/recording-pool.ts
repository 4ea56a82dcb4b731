import { PcmReader } from '../pcm/pcm-reader.ts'
import type { RecordingReply } from './recording-protocol.ts'
import { RecordingThread, type RecordingThreadOptions } from './recording-thread.ts'
import type { Thread } from './thread.ts'
import { ThreadPool } from './thread-pool.ts'

/** How a pool is made. */
export interface RecordingPoolOptions<Result> extends RecordingThreadOptions {
  /** Most recordings at a time. */
  readonly size: number
  /** Starts a thread that speaks the protocol of `recording-protocol.ts`. */
  readonly spawn: () => Thread<RecordingReply<Result>>
  /** Makes the error for what is not done when the pool is closed. */
  readonly closed: () => Error
}

/** Has recordings listened to, each by a thread of its own, a bounded number at a time. An idle pool has no thread. */
export class RecordingPool<Result> {
  readonly #options: RecordingPoolOptions<Result>
  readonly #pool: ThreadPool<RecordingThread<Result>>

  constructor(options: RecordingPoolOptions<Result>) {
    this.#options = options
    const { size, closed } = options
    this.#pool = new ThreadPool({ size, closed, spawn: async () => this.#spawn() })
  }

  /**
   * Listens to 16 kHz mono PCM in chunks of any size. The source is released in any case.
   * @throws What `failure` makes when the thread is lost or cannot be started, EngineStuckError when it hangs, what
   * `closed` makes after {@link RecordingPool.close}, the signal's reason when it aborts, and what the source throws.
   */
  async listen(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Result> {
    const reader = new PcmReader(pcm)
    try {
      return await this.#pool.use(options.signal, (thread, signal) => thread.listen(reader, signal))
    } finally {
      reader.leave()
    }
  }

  /** Ends all that is in flight. Resolves once every thread is gone. Can be called again. */
  close(): Promise<void> {
    return this.#pool.close()
  }

  #spawn(): RecordingThread<Result> {
    const { spawn, failure, label } = this.#options
    try {
      return new RecordingThread(spawn(), this.#options)
    } catch (error) {
      throw failure(`${label} cannot be started: ${String(error)}`, error)
    }
  }
}
