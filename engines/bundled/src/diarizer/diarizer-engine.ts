import { type Diarization, DIARIZATION_SAMPLE_RATE, type DiarizationEngine } from '@svc-audio/engine-ports'
import { RecordingPool } from '../threads/recording-pool.ts'
import { type StartThread, threadHere } from '../threads/thread.ts'
import type { WatchdogOptions } from '../threads/watchdog.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * The last step takes 80 ms for an hour of speech, and four times that for two hours. Its deadline is a hundred times
 * that.
 */
const END_MS_PER_SQUARE_HOUR = 8000

/** Parts of a {@link DiarizerEngine}. */
export interface DiarizerEngineParts extends WatchdogOptions {
  /** Maximum recordings at a time. */
  readonly workers: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread | undefined
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/** The diarization engine of this driver. */
export class DiarizerEngine implements DiarizationEngine {
  readonly name = 'voice-prints'
  readonly #pool: RecordingPool<Diarization>

  constructor({ workers, worker = WORKER, startThread = threadHere, ...watching }: DiarizerEngineParts) {
    this.#pool = new RecordingPool({
      ...watching,
      size: workers,
      spawn: () => startThread(worker, { name: 'diarizer' }),
      label: 'The diarizer',
      endExtra: (samples) => END_MS_PER_SQUARE_HOUR * (samples / DIARIZATION_SAMPLE_RATE / 3600) ** 2,
    })
  }

  async diarize(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Diarization> {
    return this.#pool.listen(pcm, options)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}
