import type { Recognition, RecognitionEngine, RecognizeOptions } from '@svc-audio/engine-ports'
import { PcmReader } from '../pcm/pcm-reader.ts'
import { findPocketSphinx, type PocketSphinx } from './package-files.ts'
import type { ThreadData } from './protocol.ts'
import { RecognitionJob, type RecognitionThread, startRecognitionThread } from './recognition-job.ts'
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
  /** Finds what the threads run. Called for each new thread. @default the installed package */
  readonly find?: () => Promise<PocketSphinx>
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/** The recognition engine of this driver. */
export class PocketSphinxEngine implements RecognitionEngine {
  /** Name of the engine in logs, metrics and the file of engines. */
  readonly name = 'pocketsphinx'
  readonly #parts: PocketSphinxEngineParts
  readonly #pool: ThreadPool<RecognitionThread>

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

  /**
   * Recognizes a recording, in utterances. A recording that finds no free thread waits for one.
   * @throws the signal's reason, the error of the source, or EngineClosedError after {@link PocketSphinxEngine.close}
   */
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

  /** Ends all threads. Running work and later work reject with EngineClosedError. A second call does nothing. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #spawn(signal: AbortSignal): Promise<RecognitionThread> {
    const { find = findPocketSphinx, worker = WORKER, startThread = threadHere, ...watching } = this.#parts
    const data: ThreadData = await untilAborted(find(), signal)
    // The signal may have aborted at this moment.
    signal.throwIfAborted()
    return startRecognitionThread(() => startThread(worker, { name: 'pocketsphinx', data }), watching)
  }
}
