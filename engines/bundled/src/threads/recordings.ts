import { unlessAborted } from '@svc-audio/core/adapter'
import { ThreadPool } from '@svc-audio/engine-ports/driver'
import { type BlockSource, PcmReader } from '@svc-audio/engine-ports/listening'
import {
  type BusyThread,
  type Outcome,
  SupervisedThread,
  type SupervisedThreadOptions,
  type ThreadJob,
} from './supervised-thread.ts'
import type { Thread } from './thread.ts'

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

/** Samples after which a recording is long: a minute. Its further work lets that of others pass. */
const LONG_SAMPLES = 60 * 16_000

/** Maximum blocks sent to the thread and not consumed: two seconds of audio. */
const MOST_BLOCKS_AHEAD = 4

/**
 * Sends one recording to a thread, block by block, while the thread works. The watchdog's time applies to half a second
 * of audio, and to the end. Waits for the source do not count.
 */
export class RecordingJob<Result> implements ThreadJob<RecordingRequest, RecordingReply<Result>, Result> {
  readonly #source: BlockSource
  readonly #endExtra: (samples: number) => number
  readonly #othersWait: () => boolean
  #thread: BusyThread<RecordingRequest> | undefined
  #ahead = 0
  #samples = 0
  #ended = false
  /** Resolves the wait for fewer blocks ahead. */
  #go: (() => void) | undefined

  /**
   * @param endExtra Returns the time of the last step beyond `patience`, in milliseconds, for that many samples. @default
   * 0
   * @param othersWait Returns whether the rest of a long recording must step back. @default it must
   */
  constructor(
    source: BlockSource,
    endExtra: (samples: number) => number = () => 0,
    othersWait: () => boolean = () => true,
  ) {
    this.#source = source
    this.#endExtra = endExtra
    this.#othersWait = othersWait
  }

  async start(thread: BusyThread<RecordingRequest>): Promise<void> {
    this.#thread = thread
    for (;;) {
      if (this.#ahead >= MOST_BLOCKS_AHEAD) await unlessAborted(this.#fewerAhead(), thread.over)
      const samples = await this.#source.next()
      if (thread.over.aborted) return
      if (samples === undefined) break
      this.#ahead += 1
      this.#samples += samples.length
      if (this.#ahead === 1) thread.watch()
      const background = this.#samples > LONG_SAMPLES && this.#othersWait()
      if (background) thread.retire()
      thread.post({ type: 'samples', samples, ...(background && { background }) }, [samples.buffer])
    }
    this.#ended = true
    this.watch()
    thread.post({ type: 'end' })
  }

  receive(reply: RecordingReply<Result>): Outcome<Result> | undefined {
    if (reply.type === 'result') return { result: reply.result }
    this.#ahead -= 1
    this.#go?.()
    this.watch()
    return undefined
  }

  /** Restarts the watchdog's time if the thread has work. Call it when the thread gives another sign of life. */
  watch(): void {
    if (this.#ended) this.#thread?.watch(this.#endExtra(this.#samples))
    else if (this.#ahead > 0) this.#thread?.watch()
    else this.#thread?.rest()
  }

  #fewerAhead(): Promise<void> {
    return new Promise((resolve) => {
      this.#go = resolve
    })
  }
}

/** Messages to a thread with one recording: any number of `samples`, then `end`. */
export type RecordingRequest =
  | {
      readonly type: 'samples'
      readonly samples: Int16Array<ArrayBuffer>
      /** Whether the recording has become long. The thread then lowers its priority, for good. */
      readonly background?: boolean
    }
  | { readonly type: 'end' }

/**
 * Its answers: `consumed` after each `samples`, when it holds them no longer, and the `result`, at the end or before.
 * The thread reports an error by throwing it, which ends the thread.
 */
export type RecordingReply<Result> =
  | { readonly type: 'consumed' }
  | { readonly type: 'result'; readonly result: Result }
