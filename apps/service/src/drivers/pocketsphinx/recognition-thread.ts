import type { Worker } from 'node:worker_threads'

import type { RecognizedWord, Recognition, RecognizeOptions } from '../../ports/recognition-engine.ts'
import type { BlockSource } from '../pcm/pcm-reader.ts'
import type { ThreadReply, ThreadRequest } from './protocol.ts'
import { RecognitionFailedError } from './recognition-failed-error.ts'
import type { PooledThread } from '../threads/thread-pool.ts'

/** Blocks that may be on their way to the thread or in its hands: two seconds of audio. */
const MOST_BLOCKS_AHEAD = 4

/** Options of {@link RecognitionThread}. */
export interface RecognitionThreadOptions {
  /**
   * How long the thread may take to notice that nobody waits any more before it is ended, in milliseconds. It looks
   * every tenth of a second, but the end of a long utterance takes it up to two.
   * @default 3000
   */
  readonly cancelTimeout?: number
}

/** How a thread recognizes one recording. */
export type ThreadRecognizeOptions = RecognizeOptions & { readonly signal: AbortSignal }

/** A recording in work. */
interface Job {
  readonly done: PromiseWithResolvers<Recognition>
  readonly onWords: ((words: readonly RecognizedWord[]) => void) | undefined
  ahead: number
  /** Resolves the wait for fewer blocks ahead. */
  go: (() => void) | undefined
}

/** One worker thread, seen from the outside: recognizes one recording at a time. It does not keep the process alive. */
export class RecognitionThread implements PooledThread {
  readonly #worker: Worker
  readonly #cancelTimeout: number
  #job: Job | undefined
  #cancelling: PromiseWithResolvers<undefined> | undefined
  #alive = true

  constructor(worker: Worker, { cancelTimeout = 3000 }: RecognitionThreadOptions = {}) {
    this.#worker = worker
    this.#cancelTimeout = cancelTimeout
    worker.on('message', (reply: ThreadReply) => this.#receive(reply))
    worker.on('error', (error) => this.#lose(`The speech recognizer failed: ${messageOf(error)}`, error))
    worker.on('messageerror', (error) => this.#lose('The answer of the speech recognizer cannot be read', error))
    worker.on('exit', () => this.#lose('The thread of the speech recognizer ended'))
    worker.unref()
  }

  /** False once the thread was ended or lost; it takes no further work then. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Recognizes one recording. Must not be called before {@link RecognitionThread.free} has resolved.
   * @throws RecognitionFailedError when the thread is lost, the signal's reason when it aborts, and what the source throws.
   */
  async recognize(source: BlockSource, options: ThreadRecognizeOptions): Promise<Recognition> {
    const { signal, keyterms = [], onWords } = options
    signal.throwIfAborted()
    if (!this.#alive) throw new RecognitionFailedError('The thread of the speech recognizer ended')
    const job: Job = { done: Promise.withResolvers(), onWords, ahead: 0, go: undefined }
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
      job.go?.()
    }
  }

  /** Resolves when the thread has left the last recording behind, which takes a moment after a failed one, or is lost. */
  async free(): Promise<void> {
    await this.#cancelling?.promise
  }

  /** Ends the thread; its recording rejects. Resolves once it is gone. */
  async end(): Promise<void> {
    this.#lose('The thread of the speech recognizer was ended')
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
      this.#post({ type: 'samples', samples }, [samples.buffer])
    }
    this.#post({ type: 'end' })
  }

  #receive(reply: ThreadReply): void {
    if (reply.type === 'cancelled') this.#finishCancelling()
    const job = this.#job
    // what was on its way when a recording was given up is nobody's any more
    if (job === undefined) return
    if (reply.type === 'result') job.done.resolve(reply.recognition)
    if (reply.type === 'heard') job.onWords?.(reply.words)
    if (reply.type === 'consumed') {
      job.ahead -= 1
      job.go?.()
    }
  }

  #cancel(): void {
    if (!this.#alive) return
    const cancelling = Promise.withResolvers<undefined>()
    this.#cancelling = cancelling
    this.#post({ type: 'cancel' })
    const deadline = setTimeout(() => this.#lose('The speech recognizer does not stop'), this.#cancelTimeout)
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

  #lose(message: string, cause?: unknown): void {
    if (!this.#alive) return
    this.#alive = false
    this.#job?.done.reject(new RecognitionFailedError(message, { cause }))
    this.#finishCancelling()
    void this.#worker.terminate()
  }
}

/** The C code's own way to give up is to throw a string. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
