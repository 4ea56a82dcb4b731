import type { Worker } from 'node:worker_threads'

import type { Diarization } from '../../ports/diarization-engine.ts'
import type { BlockSource } from '../pcm/pcm-reader.ts'
import type { PooledThread } from '../threads/thread-pool.ts'
import { DiarizationFailedError } from './diarization-failed-error.ts'
import type { ThreadReply, ThreadRequest } from './protocol.ts'

/** Blocks that may be on their way to the thread or in its hands: two seconds of audio. */
const MOST_BLOCKS_AHEAD = 4

/**
 * One worker thread, seen from the outside. It does one recording and ends: a new thread costs 30 ms, and whatever way
 * a recording ends, nothing is left of it.
 */
export class DiarizerThread implements PooledThread {
  readonly #worker: Worker
  readonly #done = Promise.withResolvers<Diarization>()
  readonly #gone: Promise<unknown>
  #ahead = 0
  /** Resolves the wait for fewer blocks ahead. */
  #go: (() => void) | undefined
  #alive = true

  constructor(worker: Worker) {
    this.#worker = worker
    this.#gone = new Promise((resolve) => {
      worker.once('exit', resolve)
    })
    worker.on('message', (reply: ThreadReply) => this.#receive(reply))
    worker.on('error', (error) => this.#leave(`The diarizer failed: ${String(error)}`, error))
    worker.on('messageerror', (error) => this.#leave('The answer of the diarizer cannot be read', error))
    worker.on('exit', () => this.#leave('The thread of the diarizer ended'))
    // it may be lost before anyone asks it for something
    this.#done.promise.catch(() => undefined)
  }

  /** False once it has done its recording, or was lost. */
  get alive(): boolean {
    return this.#alive
  }

  /**
   * Tells who speaks when in one recording. Can be called once.
   * @throws DiarizationFailedError when the thread is lost, the signal's reason when it aborts, and what the source throws.
   */
  async diarize(source: BlockSource, signal: AbortSignal): Promise<Diarization> {
    const onAbort = (): void => this.#done.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      this.#feed(source).catch(this.#done.reject)
      return await this.#done.promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#leave('The recording of this thread is done')
    }
  }

  /** Resolves once the thread is gone. */
  async free(): Promise<void> {
    await this.#gone
  }

  /** Ends the thread; its recording rejects. Resolves once it is gone. */
  async end(): Promise<void> {
    this.#leave('The thread of the diarizer was ended')
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
      if (samples === undefined) return this.#post({ type: 'end' })
      this.#ahead += 1
      this.#post({ type: 'samples', samples }, [samples.buffer])
    }
  }

  #post(request: ThreadRequest, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer)
  }

  #receive(reply: ThreadReply): void {
    if (reply.type === 'result') return this.#done.resolve(reply.diarization)
    this.#ahead -= 1
    this.#go?.()
  }

  /** @param message What a recording that is still waited for rejects with. */
  #leave(message: string, cause?: unknown): void {
    if (!this.#alive) return
    this.#alive = false
    this.#done.reject(new DiarizationFailedError(message, { cause }))
    this.#go?.()
    void this.#worker.terminate()
  }
}
