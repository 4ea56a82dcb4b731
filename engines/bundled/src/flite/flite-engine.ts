import { availableParallelism } from 'node:os'

import { cancellable, checkWorkers, type Timers } from '@svc-audio/engine-ports/driver'
import {
  atOnce,
  SPEECH_COST,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { FLITE_VOICES, voiceFeatures } from './voices.ts'
import { planSpeech, renderSpeech, speechLength } from '@svc-audio/engine-ports/speech'
import { findFlite } from './program.ts'
import { toSpeakable } from './speakable-text.ts'
import { FLITE_FORMAT, type Utterance } from './utterance.ts'
import { type StartThread, type Thread, threadHere } from '../threads/thread.ts'
import { WorkerPool, type WorkerReply } from '../threads/worker-pool.ts'

/** Options of {@link createFliteEngine}. */
export interface FliteEngineOptions {
  /**
   * Threads that speak at the same time, a positive integer, and as many for background work. Each holds about 90 MB.
   * While both kinds have threads, at most one more than this number stay. Threads idle for a minute exit, except one.
   * @default 2, or 1 on a machine with one processor
   */
  readonly workers?: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread
  /** Measures the threads' time. @default the machine's clock */
  readonly clock?: Timers
  /** Aborts the creation of the engine. */
  readonly signal?: AbortSignal
}

/** `workerData` of a speech thread. */
export interface SpeakerData {
  /** Path of flite as WebAssembly. */
  readonly program: string
  /** Whether it speaks at a lower priority. @default false */
  readonly background?: boolean
}

/** The engine's description before it exists. A broken engine can still list its voices. */
export const FLITE: Readonly<Pick<SpeechEngine, 'name' | 'voices'>> = { name: 'flite', voices: FLITE_VOICES }

const UNSPEAKABLE = 'The input has no speakable text: this engine reads English letters, digits and common symbols'

type Pool = WorkerPool<Utterance, Uint8Array>

/** Threads of the usual priority, and of a lower one: a thread cannot raise its priority again. */
interface Pools {
  readonly first: Pool
  readonly background: Pool
}

/**
 * Makes a speech engine of CMU flite. It speaks English, without a model to download or a program to install. Each
 * sentence is spoken by a new instance or by one whose memory is that of a new one, so no text can disturb another.
 *
 * Resolves after one thread has spoken a word. This reveals a broken engine here, and the first request does not wait
 * for compilation. The other threads start with the work that needs them, as they do after a quiet minute.
 * @throws RangeError when `workers` is not a positive integer; EngineFailedError when no thread can speak, or flite is not
 * installed; the signal's reason when it aborts.
 */
export async function createFliteEngine(options: FliteEngineOptions = {}): Promise<SpeechEngine> {
  const { workers = Math.min(2, availableParallelism()) } = options
  checkWorkers(workers)
  const pools = createPools(workers, options)
  const close = async (): Promise<void> => {
    await Promise.all([pools.first.close(), pools.background.close()])
  }
  try {
    await pools.first.run({ voice: 'rms', text: 'Hello.', durationStretch: 1, stretch: 1 }, options.signal)
  } catch (error) {
    await close()
    throw error
  }
  return { ...FLITE, synthesize: async (request, given = {}) => synthesize(pools, request, given), close }
}

/** The pools share their memory: a new thread takes the place of an idle one of the other pool. */
function createPools(size: number, { startThread = threadHere, clock }: FliteEngineOptions): Pools {
  const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
  const program = findFlite()
  let alive = 0
  /** Threads that were told to end and have not exited. */
  let leaving = 0
  const releaseBeyond = (limit: number, pool: Pool): void => {
    if (alive - leaving > limit && pool.releaseIdle()) leaving += 1
  }
  const start = (background: boolean, other: Pool): Thread<WorkerReply<Uint8Array>> => {
    releaseBeyond(size, other)
    const data: SpeakerData = { program, background }
    const thread = startThread<WorkerReply<Uint8Array>>(entry, { name: 'flite', data })
    alive += 1
    thread.on('exit', () => {
      alive -= 1
      leaving = Math.max(0, leaving - 1)
    })
    return thread
  }
  // A thread that was busy when the other pool needed its place ends as soon as it is idle.
  const onIdle = (pool: () => Pool) => () => releaseBeyond(size + 1, pool())
  const pools: Pools = {
    // One thread stays, so that speech begins at once even after hours without work.
    first: new WorkerPool({
      size,
      keep: 1,
      clock,
      onIdle: onIdle(() => pools.first),
      spawn: () => start(false, pools.background),
    }),
    background: new WorkerPool({
      size,
      clock,
      onIdle: onIdle(() => pools.background),
      spawn: () => start(true, pools.first),
    }),
  }
  return pools
}

async function synthesize(
  pools: Pools,
  request: SynthesisRequest,
  { signal, turns = atOnce }: SynthesisOptions,
): Promise<Synthesis> {
  const voice = FLITE_VOICES.find(({ id }) => id === request.voiceId)
  if (voice === undefined) throw new RangeError(`Unknown voice: ${request.voiceId}`)
  const length = speechLength(request)
  const features = voiceFeatures(voice, request.manner)
  signal?.throwIfAborted()
  const steps = planSpeech(request.text, request.pauses ?? false, toSpeakable)
  if (steps.length === 0) throw new UnspeakableTextError(UNSPEAKABLE)
  const chunks = cancellable(
    [signal],
    (stop) =>
      renderSpeech(
        steps,
        length,
        (text, stretch) =>
          turns(text.length * SPEECH_COST, stop, ({ background }) =>
            pools[background ? 'background' : 'first'].run({ ...features(stretch), text }, stop),
          ),
        FLITE_FORMAT.sampleRate,
      ),
    { once: true },
  )
  return { format: FLITE_FORMAT, chunks }
}
