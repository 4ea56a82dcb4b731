import { availableParallelism } from 'node:os'

import type { DiarizationEngine } from '@svc-audio/engine-ports'
import { checkWorkers } from '@svc-audio/engine-ports/driver'
import type { StartThread } from '../threads/thread.ts'
import { DiarizerEngine } from './diarizer-engine.ts'

/** Options of {@link createDiarizer}. */
export interface DiarizerOptions {
  /**
   * Maximum recordings at a time; further ones queue. Each takes a core for a hundredth of its length, and a thread with
   * 60 to 80 MB of memory until it ends.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
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
  const { workers = availableParallelism() >= 4 ? 2 : 1, startThread, othersWait } = options
  checkWorkers(workers)
  return new DiarizerEngine({ workers, startThread, othersWait })
}
