import { availableParallelism } from 'node:os'
import { type Diarization, DIARIZATION_SAMPLE_RATE, type DiarizationEngine } from '@svc-audio/engine-ports'
import { checkWorkers } from '@svc-audio/engine-ports/driver'
import { RecordingPool } from '../threads/recordings.ts'
import { type StartThread, threadHere, type WatchdogOptions } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * The last step takes 80 ms for an hour of speech, and four times that for two hours. Its deadline is a hundred times
 * that.
 */
const END_MS_PER_SQUARE_HOUR = 8000

/** Options of {@link createDiarizer}. */
export interface DiarizerOptions extends WatchdogOptions {
  /**
   * Maximum recordings at a time; further ones queue. Each takes a core for a hundredth of its length, and a thread with
   * 60 to 80 MB of memory until it ends.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread | undefined
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/**
 * Distinguishes speakers by timbre and pitch, without a model: nothing to install, no network, any language. It is made
 * for people who speak in turns. A turn ends with a pause of 0.15 s or more. Of several simultaneous speakers it hears
 * one. Silence, noise and steady tones give no segments.
 *
 * Memory grows by about 1 MB per hour of speech, without another limit. The last step, after all audio, takes half a
 * second for two and a half hours.
 *
 * `diarize` rejects with an EngineFailedError when its thread fails, which does not affect other
 * recordings, and with an EngineClosedError after `close`. An idle engine has no thread.
 * @throws RangeError when `workers` is not a positive integer.
 */
export function createDiarizer(options: DiarizerOptions = {}): DiarizationEngine {
  const { workers = availableParallelism() >= 4 ? 2 : 1, worker = WORKER, startThread = threadHere, ...job } = options
  checkWorkers(workers)
  const pool = new RecordingPool<Diarization>({
    ...job,
    size: workers,
    spawn: () => startThread(worker, { name: 'diarizer' }),
    label: 'The diarizer',
    endExtra: (samples) => END_MS_PER_SQUARE_HOUR * (samples / DIARIZATION_SAMPLE_RATE / 3600) ** 2,
  })
  return { name: 'voice-prints', diarize: (pcm, given) => pool.listen(pcm, given), close: () => pool.close() }
}
