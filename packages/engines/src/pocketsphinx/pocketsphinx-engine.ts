import type { Recognition, RecognitionEngine, RecognizeOptions } from '@svc-audio/engine-ports'
import { PcmReader } from '../pcm/pcm-reader.ts'
import type { ThreadData } from './protocol.ts'
import { RecognitionJob, type RecognitionThread, startRecognitionThread } from './recognition-job.ts'
import { REWRITTEN_MEMORY_BYTES } from './rewritten-module.ts'
import { type StartThread, threadHere } from '../threads/thread.ts'
import { ThreadPool } from '../threads/thread-pool.ts'
import { untilAborted } from '../threads/until-aborted.ts'
import type { WatchdogOptions } from '../threads/watchdog.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** The longest time of a timer. */
const FOREVER = 2 ** 31 - 1

/** Parts of a {@link PocketSphinxEngine}. */
export interface PocketSphinxEngineParts extends WatchdogOptions {
  /** Maximum recordings at a time. Each takes a thread with 250 MB of memory. */
  readonly workers: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread | undefined
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
  /** Makes the module's binary. Called at the first recording, and again at the next one after a failure. */
  readonly prepare: (signal: AbortSignal) => Promise<Uint8Array>
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/** The recognition engine of this driver. */
export class PocketSphinxEngine implements RecognitionEngine {
  readonly name = 'pocketsphinx'
  readonly #parts: PocketSphinxEngineParts
  readonly #pool: ThreadPool<RecognitionThread>
  #binary: Promise<Uint8Array> | undefined

  constructor(parts: PocketSphinxEngineParts) {
    this.#parts = parts
    const { workers: size, clock } = parts
    this.#pool = new ThreadPool({
      size,
      clock,
      label: 'The speech recognizer',
      spawn: (signal) => this.#spawn(signal),
    })
  }

  async recognize(pcm: AsyncIterable<Uint8Array>, options: RecognizeOptions = {}): Promise<Recognition> {
    const reader = new PcmReader(pcm)
    // Threads do not keep the process alive, but a caller that waits for a text must get it.
    const wait = setInterval(() => undefined, FOREVER)
    try {
      const job = new RecognitionJob(reader, options, this.#parts.othersWait)
      return await this.#pool.use(options.signal, (thread, signal) => thread.run(job, signal))
    } finally {
      clearInterval(wait)
      reader.leave()
    }
  }

  /** Also waits for a running preparation: it may be writing to its folder. */
  async close(): Promise<void> {
    await this.#pool.close()
    await this.#binary?.catch(() => undefined)
  }

  async #spawn(signal: AbortSignal): Promise<RecognitionThread> {
    const binary = await untilAborted(this.#prepare(), signal)
    // The signal may have aborted at this moment.
    signal.throwIfAborted()
    const data: ThreadData = { binary, memoryBytes: REWRITTEN_MEMORY_BYTES }
    const { worker = WORKER, startThread = threadHere, ...watching } = this.#parts
    return startRecognitionThread(() => startThread(worker, { name: 'pocketsphinx', data }), watching)
  }

  /** One preparation for all callers. A failed one is forgotten, so the next caller retries. */
  #prepare(): Promise<Uint8Array> {
    const running = this.#binary ?? this.#parts.prepare(this.#pool.closing)
    this.#binary = running
    running.catch(() => {
      if (this.#binary === running) this.#binary = undefined
    })
    return running
  }
}
