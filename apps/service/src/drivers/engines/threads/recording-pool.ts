import { PcmReader } from '../pcm/pcm-reader.ts'
import type { RecordingReply } from './recording-protocol.ts'
import { RecordingThread, type RecordingThreadOptions } from './recording-thread.ts'
import type { Thread } from './thread.ts'
import { ThreadPool } from './thread-pool.ts'

/** Options of {@link RecordingPool}. */
export interface RecordingPoolOptions<Result> extends RecordingThreadOptions {
  /** Most recordings at a time. */
  readonly size: number
  /** Starts a thread that speaks the protocol of `recording-protocol.ts`. */
  readonly spawn: () => Thread<RecordingReply<Result>>
  /** Makes the error for unfinished work of a closed pool. */
  readonly closed: () => Error
}

/** Processes a bounded number of recordings at a time, each in a separate thread. An idle pool has no thread. */
export class RecordingPool<Result> {
  readonly #options: RecordingPoolOptions<Result>
  readonly #pool: ThreadPool<RecordingThread<Result>>

  constructor(options: RecordingPoolOptions<Result>) {
    this.#options = options
    const { size, closed } = options
    this.#pool = new ThreadPool({ size, closed, spawn: async () => this.#spawn() })
  }

  /**
   * Processes 16 kHz mono PCM in chunks of any size. Always closes the source.
   * @throws The error of `failure` when the thread is lost or cannot be started, EngineStuckError when it hangs, the
   * error of `closed` after {@link RecordingPool.close}, the signal's reason when it aborts, and the source's error.
   */
  async listen(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Result> {
    const reader = new PcmReader(pcm)
    try {
      return await this.#pool.use(options.signal, (thread, signal) => thread.listen(reader, signal))
    } finally {
      reader.leave()
    }
  }

  /** Ends all recordings in flight. Resolves after the exit of every thread. Can be called again. */
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
