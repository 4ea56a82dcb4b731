import { type EngineFailedError, EngineStuckError } from '../../../ports/engine-state.ts'
import type { BlockSource } from '../pcm/pcm-reader.ts'
import type { RecordingReply, RecordingRequest } from './recording-protocol.ts'
import type { Thread } from './thread.ts'
import type { PooledThread } from './thread-pool.ts'
import { Watchdog, type WatchdogOptions } from './watchdog.ts'

/** Most blocks sent to the thread and not consumed: two seconds of audio. */
const MOST_BLOCKS_AHEAD = 4

/**
 * Options of {@link RecordingThread}. `patience` applies to the thread's work: half a second of audio, or the end.
 * Waits for the source do not count.
 */
export interface RecordingThreadOptions extends WatchdogOptions {
  /** Its name in messages for the operator, for example `The diarizer`. */
  readonly label: string
  /** Makes the error for a thread that fails. */
  readonly failure: (message: string, cause?: unknown) => EngineFailedError
  /** Returns the time of the last step beyond `patience`, in milliseconds, for that many samples. @default 0 */
  readonly endExtra?: (samples: number) => number
}

/**
 * Drives one worker thread. The thread does one recording and exits: a new thread costs 30 ms, and no state of a
 * recording remains, however it ends.
 */
export class RecordingThread<Result> implements PooledThread {
  readonly #worker: Thread<RecordingReply<Result>>
  readonly #options: RecordingThreadOptions
  readonly #watchdog: Watchdog
  readonly #done = Promise.withResolvers<Result>()
  readonly #gone: Promise<unknown>
  #ahead = 0
  #samples = 0
  #ended = false
  /** Resolves the wait for fewer blocks ahead. */
  #go: (() => void) | undefined
  #alive = true

  constructor(worker: Thread<RecordingReply<Result>>, options: RecordingThreadOptions) {
    const { label } = options
    this.#worker = worker
    this.#options = options
    this.#watchdog = new Watchdog(
      () => this.#leave(new EngineStuckError(`${label} did not answer and was ended`)),
      options,
    )
    this.#gone = new Promise((resolve) => {
      worker.on('exit', resolve)
    })
    worker.on('message', (reply) => this.#receive(reply))
    worker.on('error', (cause) => this.#fail(`failed: ${String(cause)}`, cause))
    worker.on('messageerror', (cause) => this.#fail('gave an unreadable answer', cause))
    worker.on('exit', () => this.#fail('ended'))
    // The thread may be lost before its first use.
    this.#done.promise.catch(() => undefined)
  }

  /** False after its recording ended or the thread was lost. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Processes one recording. Call it once.
   * @throws The error of `failure` when the thread is lost, EngineStuckError when it hangs, the signal's reason when it
   * aborts, and the source's error.
   */
  async listen(source: BlockSource, signal: AbortSignal): Promise<Result> {
    const onAbort = (): void => this.#done.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      this.#feed(source).catch(this.#done.reject)
      return await this.#done.promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#fail('has ended its recording')
    }
  }

  /** Resolves after the thread's exit. */
  async free(): Promise<void> {
    await this.#gone
  }

  /** Ends the thread; its recording rejects. Resolves after the thread's exit. */
  async end(): Promise<void> {
    this.#fail('was ended')
    await this.#gone
  }

  async #feed(source: BlockSource): Promise<void> {
    for (;;) {
      if (this.#ahead >= MOST_BLOCKS_AHEAD) {
        await new Promise<void>((resolve) => {
          this.#go = resolve
        })
      }
      const samples = this.#alive ? await source.next() : undefined
      if (!this.#alive) return
      if (samples === undefined) break
      this.#ahead += 1
      this.#samples += samples.length
      if (this.#ahead === 1) this.#watchdog.watch()
      this.#post({ type: 'samples', samples }, [samples.buffer])
    }
    this.#ended = true
    this.#watch()
    this.#post({ type: 'end' })
  }

  #post(request: RecordingRequest, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer)
  }

  #receive(reply: RecordingReply<Result>): void {
    if (reply.type === 'result') return this.#done.resolve(reply.result)
    this.#ahead -= 1
    this.#go?.()
    this.#watch()
  }

  /** The thread gave a sign of life. Restarts its time if it has more work. */
  #watch(): void {
    if (!this.#alive) return
    if (this.#ended) this.#watchdog.watch(this.#options.endExtra?.(this.#samples))
    else if (this.#ahead > 0) this.#watchdog.watch()
    else this.#watchdog.rest()
  }

  #fail(what: string, cause?: unknown): void {
    if (this.#alive) this.#leave(this.#options.failure(`${this.#options.label} ${what}`, cause))
  }

  /** @param reason The error of a recording in flight. */
  #leave(reason: EngineFailedError): void {
    if (!this.#alive) return
    this.#alive = false
    this.#watchdog.rest()
    this.#done.reject(reason)
    this.#go?.()
    void this.#worker.terminate()
  }
}
