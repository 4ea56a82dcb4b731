import { type EngineFailedError, EngineStuckError } from '../../../ports/engine-state.ts'
import type { BlockSource } from '../pcm/pcm-reader.ts'
import type { RecordingReply, RecordingRequest } from './recording-protocol.ts'
import type { Thread } from './thread.ts'
import type { PooledThread } from './thread-pool.ts'
import { Watchdog, type WatchdogOptions } from './watchdog.ts'

/** Blocks that may be on their way to the thread or in its hands: two seconds of audio. */
const MOST_BLOCKS_AHEAD = 4

/**
 * How the thread of one recording is seen. Its `patience` is for what it was given: half a second of audio, or the end.
 * It is not counted while the source is waited for.
 */
export interface RecordingThreadOptions extends WatchdogOptions {
  /** What it is called in messages for the operator, e.g. `The diarizer`. */
  readonly label: string
  /** Makes the error for a thread that fails. */
  readonly failure: (message: string, cause?: unknown) => EngineFailedError
  /** What the last step may take beyond `patience`, in milliseconds, after so many samples. @default nothing */
  readonly endExtra?: (samples: number) => number
}

/**
 * One worker thread, seen from the outside. It does one recording and ends: a new thread costs 30 ms, and whatever way
 * a recording ends, nothing is left of it.
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
    worker.on('messageerror', (cause) => this.#fail('gave an answer that cannot be read', cause))
    worker.on('exit', () => this.#fail('ended'))
    // it may be lost before anyone asks it for something
    this.#done.promise.catch(() => undefined)
  }

  /** False once it has done its recording, or was lost. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Has one recording listened to. Can be called once.
   * @throws What `failure` makes when the thread is lost, EngineStuckError when it hangs, the signal's reason when it
   * aborts, and what the source throws.
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
      this.#fail('has done its recording')
    }
  }

  /** Resolves once the thread is gone. */
  async free(): Promise<void> {
    await this.#gone
  }

  /** Ends the thread; its recording rejects. Resolves once it is gone. */
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

  /** It lives: what it has still to do restarts its time. */
  #watch(): void {
    if (!this.#alive) return
    if (this.#ended) this.#watchdog.watch(this.#options.endExtra?.(this.#samples))
    else if (this.#ahead > 0) this.#watchdog.watch()
    else this.#watchdog.rest()
  }

  #fail(what: string, cause?: unknown): void {
    if (this.#alive) this.#leave(this.#options.failure(`${this.#options.label} ${what}`, cause))
  }

  /** @param reason What a recording that is still waited for rejects with. */
  #leave(reason: EngineFailedError): void {
    if (!this.#alive) return
    this.#alive = false
    this.#watchdog.rest()
    this.#done.reject(reason)
    this.#go?.()
    void this.#worker.terminate()
  }
}
