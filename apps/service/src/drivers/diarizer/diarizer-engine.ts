import { Worker } from 'node:worker_threads'

import type { Diarization, DiarizationEngine } from '../../ports/diarization-engine.ts'
import { PcmReader } from '../pcm/pcm-reader.ts'
import { ThreadPool } from '../threads/thread-pool.ts'
import { DiarizerClosedError } from './diarizer-closed-error.ts'
import { DiarizerThread } from './diarizer-thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Parts of a {@link DiarizerEngine}. */
export interface DiarizerEngineParts {
  /** Most recordings at a time. */
  readonly workers: number
  /** File of the worker threads. @default this driver's own */
  readonly worker?: URL
}

/** The diarization engine of this driver. */
export class DiarizerEngine implements DiarizationEngine {
  readonly name = 'voice-prints'
  readonly #pool: ThreadPool<DiarizerThread>
  readonly #closing = new AbortController()

  constructor({ workers, worker = WORKER }: DiarizerEngineParts) {
    this.#pool = new ThreadPool({
      size: workers,
      // no arguments of this process: some of them, such as `--input-type`, keep a worker from starting
      spawn: async () => new DiarizerThread(new Worker(worker, { name: 'diarizer', execArgv: [] })),
    })
  }

  async diarize(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Diarization> {
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])]
    const signal = AbortSignal.any(signals)
    const reader = new PcmReader(pcm)
    try {
      return await this.#pool.use(signal, (thread) => thread.diarize(reader, signal))
    } finally {
      reader.leave()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new DiarizerClosedError())
    await this.#pool.end()
  }
}
