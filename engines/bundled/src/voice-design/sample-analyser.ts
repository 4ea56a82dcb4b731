import { type SampleAnalyser, type SampleLimits, type SampleTraits, UnusableSampleError } from '@svc-audio/engine-ports'
import { RecordingPool } from '../threads/recordings.ts'
import { type StartThread, threadHere, type WatchdogOptions } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Options of {@link createSampleAnalyser}. */
export interface SampleAnalyserOptions extends WatchdogOptions {
  /** Accepted lengths of a sample. */
  readonly limits: SampleLimits
  /** Maximum samples at a time, a whole number from 1; further ones queue. Each takes a thread until it ends. */
  readonly workers: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/**
 * Measures samples in threads, because a minute of audio takes a second of work. `analyse` rejects with an
 * EngineFailedError when its thread fails, and with an EngineClosedError after `close`. An idle analyser has no thread.
 */
export function createSampleAnalyser(options: SampleAnalyserOptions): SampleAnalyser {
  const { limits, workers, worker = WORKER, startThread = threadHere, ...watching } = options
  const pool = new RecordingPool<Analysis>({
    ...watching,
    size: workers,
    spawn: () => startThread(worker, { name: 'voice-analysis', data: limits }),
    label: 'The analyser of voice samples',
  })
  return {
    async analyse(pcm, given) {
      const analysis = await pool.listen(pcm, given)
      if ('unusable' in analysis) throw new UnusableSampleError(analysis.unusable)
      return analysis.traits
    },
    close: () => pool.close(),
  }
}

/** The result for a sample: its traits, or the reason why it has no voice, in words for the client. */
export type Analysis = { readonly traits: SampleTraits } | { readonly unusable: string }
