import type { Recognition, RecognizedWord, RecognizeOptions } from '../../../ports/recognition-engine.ts'
import { type EngineFailedError, EngineStuckError } from '../../../ports/engine-state.ts'
import type { BlockSource } from '../pcm/pcm-reader.ts'
import type { ThreadReply, ThreadRequest } from './protocol.ts'
import { RecognitionFailedError } from '../errors.ts'
import type { Thread } from '../threads/thread.ts'
import type { PooledThread } from '../threads/thread-pool.ts'
import { Watchdog, type WatchdogOptions } from '../threads/watchdog.ts'

/** Most blocks sent to the thread and not consumed: two seconds of audio. */
const MOST_BLOCKS_AHEAD = 4

/**
 * Options of {@link RecognitionThread}. `patience` applies to the thread's work: half a second of audio, or the end.
 * Waits for the source do not count.
 */
export interface RecognitionThreadOptions extends WatchdogOptions {
  /**
   * Time for the thread to notice an abort before it is ended, in milliseconds. It looks every tenth of a second, but
   * the end of a long utterance takes it up to two seconds.
   * @default 3000
   */
  readonly cancelTimeout?: number
}

/** Recognition options of one recording. */
export type ThreadRecognizeOptions = RecognizeOptions & { readonly signal: AbortSignal }

/** A recording in flight. */
interface Job {
  readonly done: PromiseWithResolvers<Recognition>
  readonly onWords: ((words: readonly RecognizedWord[]) => void) | undefined
  ahead: number
  /** Whether the thread has received the end. */
  ended: boolean
  /** Resolves the wait for fewer blocks ahead. */
  go: (() => void) | undefined
}

/** Drives one worker thread, which recognizes one recording at a time. It does not keep the process alive. */
export class RecognitionThread implements PooledThread {
  readonly #worker: Thread<ThreadReply>
  readonly #cancelTimeout: number
  readonly #watchdog: Watchdog
  #job: Job | undefined
  #cancelling: PromiseWithResolvers<undefined> | undefined
  #alive = true

  constructor(worker: Thread<ThreadReply>, { cancelTimeout = 3000, ...watching }: RecognitionThreadOptions = {}) {
    this.#worker = worker
    this.#cancelTimeout = cancelTimeout
    this.#watchdog = new Watchdog(
      () => this.#lose(new EngineStuckError('The speech recognizer did not answer and was ended')),
      watching,
    )
    worker.on('message', (reply) => this.#receive(reply))
    worker.on('error', (cause) => this.#fail(`The speech recognizer failed: ${messageOf(cause)}`, cause))
    worker.on('messageerror', (cause) => this.#fail('The answer of the speech recognizer is unreadable', cause))
    worker.on('exit', () => this.#fail('The thread of the speech recognizer ended'))
    worker.unref()
  }

  /** False after the thread was ended or lost. It then accepts no work. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Recognizes one recording. Call it only after {@link RecognitionThread.free} has resolved.
   * @throws RecognitionFailedError when the thread is lost, EngineStuckError when it hangs, the signal's reason when it
   * aborts, and the source's error.
   */
  async recognize(source: BlockSource, options: ThreadRecognizeOptions): Promise<Recognition> {
    const { signal, keyterms = [], onWords } = options
    signal.throwIfAborted()
    if (!this.#alive) throw new RecognitionFailedError('The thread of the speech recognizer ended')
    const job: Job = { done: Promise.withResolvers(), onWords, ahead: 0, ended: false, go: undefined }
    this.#job = job
    const onAbort = (): void => job.done.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#feed(job, source, keyterms).catch(job.done.reject)
    try {
      return await job.done.promise
    } catch (error) {
      this.#cancel()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#job = undefined
      this.#watchdog.rest()
      job.go?.()
    }
  }

  /** Resolves when the thread has finished the last recording, which takes a moment after a failed one, or is lost. */
  async free(): Promise<void> {
    await this.#cancelling?.promise
  }

  /** Ends the thread; its recording rejects. Resolves after the thread's exit. */
  async end(): Promise<void> {
    this.#fail('The thread of the speech recognizer was ended')
    await this.#worker.terminate()
  }

  async #feed(job: Job, source: BlockSource, keyterms: readonly string[]): Promise<void> {
    this.#post({ type: 'begin', keyterms })
    for (;;) {
      if (job.ahead >= MOST_BLOCKS_AHEAD) {
        await new Promise<void>((resolve) => {
          job.go = resolve
        })
      }
      const samples = this.#job === job ? await source.next() : undefined
      if (this.#job !== job) return
      if (samples === undefined) break
      job.ahead += 1
      if (job.ahead === 1) this.#watchdog.watch()
      this.#post({ type: 'samples', samples }, [samples.buffer])
    }
    job.ended = true
    this.#watchdog.watch()
    this.#post({ type: 'end' })
  }

  #receive(reply: ThreadReply): void {
    if (reply.type === 'cancelled') this.#finishCancelling()
    const job = this.#job
    // Ignores messages about an aborted recording.
    if (job === undefined) return
    if (reply.type === 'result') job.done.resolve(reply.recognition)
    if (reply.type === 'heard') job.onWords?.(reply.words)
    if (reply.type === 'consumed') {
      job.ahead -= 1
      job.go?.()
    }
    if (job.ahead > 0 || job.ended) this.#watchdog.watch()
    else this.#watchdog.rest()
  }

  #cancel(): void {
    if (!this.#alive) return
    const cancelling = Promise.withResolvers<undefined>()
    this.#cancelling = cancelling
    this.#post({ type: 'cancel' })
    const deadline = setTimeout(() => this.#fail('The speech recognizer does not stop'), this.#cancelTimeout)
    deadline.unref()
    void cancelling.promise.then(() => clearTimeout(deadline))
  }

  #finishCancelling(): void {
    this.#cancelling?.resolve(undefined)
    this.#cancelling = undefined
  }

  #post(request: ThreadRequest, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer)
  }

  #fail(message: string, cause?: unknown): void {
    this.#lose(new RecognitionFailedError(message, { cause }))
  }

  #lose(reason: EngineFailedError): void {
    if (!this.#alive) return
    this.#alive = false
    this.#watchdog.rest()
    this.#job?.done.reject(reason)
    this.#finishCancelling()
    void this.#worker.terminate()
  }
}

/** The C code aborts by throwing a string. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
