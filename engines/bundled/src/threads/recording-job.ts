import type { BlockSource } from '../pcm/pcm-reader.ts'
import type { RecordingReply, RecordingRequest } from './recording-protocol.ts'
import type { BusyThread, Outcome, ThreadJob } from './supervised-thread.ts'
import { untilAborted } from './until-aborted.ts'

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
      if (this.#ahead >= MOST_BLOCKS_AHEAD) await untilAborted(this.#fewerAhead(), thread.over)
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
