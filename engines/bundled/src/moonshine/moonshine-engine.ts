import { availableParallelism } from 'node:os'
import { unlessAborted } from '@svc-audio/core/adapter'
import {
  EngineFailedError,
  type Recognition,
  type RecognitionEngine,
  type RecognizeOptions,
} from '@svc-audio/engine-ports'
import { checkWorkers, ThreadPool } from '@svc-audio/engine-ports/driver'
import { type BlockSource, PcmReader } from '@svc-audio/engine-ports/listening'
import type { MoonshineFiles } from '@svc-audio/moonshine-en'
import { sileroVadFile } from '@svc-audio/silero-vad'
import type { AlignerParts } from '../alignment/aligner.ts'
import type { RuntimeChoice } from '../onnx/runtime.ts'
import { RecordingJob, type RecordingReply, type RecordingRequest } from '../threads/recordings.ts'
import {
  type BusyThread,
  type Outcome,
  SupervisedThread,
  type SupervisedThreadOptions,
  type ThreadJob,
} from '../threads/supervised-thread.ts'
import { type StartThread, type Thread, threadHere, type WatchdogOptions } from '../threads/thread.ts'
import type { Heard } from './listener.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** The longest time of a timer. */
const FOREVER = 2 ** 31 - 1

/** Options of {@link createMoonshineEngine}. */
export interface MoonshineEngineOptions extends WatchdogOptions {
  /**
   * Maximum recordings at a time; further ones queue. Each takes a core and 350 MB of memory. A minute without work frees
   * them.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /** What runs the graphs. @default 'auto' */
  readonly runtime?: RuntimeChoice | undefined
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread | undefined
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
  /** Finds what the threads run. Called for each new thread. @default the installed packages */
  readonly find?: () => Promise<MoonshineParts>
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/**
 * Makes a recognizer of English speech: Moonshine tiny on ONNX Runtime, in WebAssembly or native. Nothing to download, no
 * network. Its text has case, punctuation and numerals. Silero VAD finds the speech, so silence, noise, tones and music
 * give an empty text. PocketSphinx finds the times of the words: an utterance whose words it does not find, or every one
 * when it is not installed, is a segment without times of words.
 *
 * The first recording loads the engine (about a second) and waits for it. After a failed load that recording rejects with
 * an EngineFailedError, and the next one retries. Threads idle for a minute exit. An idle engine does not keep the process
 * alive.
 *
 * `recognize` rejects with an EngineFailedError when the recognizer fails or is not installed, which does not affect other
 * recordings, and with an EngineClosedError after `close`.
 *
 * @throws RangeError when `workers` is not a positive integer.
 */
export async function createMoonshineEngine(options: MoonshineEngineOptions = {}): Promise<RecognitionEngine> {
  const { workers: size = availableParallelism() >= 4 ? 2 : 1, othersWait, ...thread } = options
  checkWorkers(size)
  const label = 'The speech recognizer'
  const pool = new ThreadPool({ size, clock: options.clock, label, spawn: (signal) => startThreadOf(thread, signal) })
  return {
    name: 'moonshine',
    async recognize(pcm, given = {}) {
      const reader = new PcmReader(pcm)
      // Threads do not keep the process alive, but a caller that waits for a text must get it.
      const wait = setInterval(() => undefined, FOREVER)
      try {
        const job = new RecognitionJob(reader, given, othersWait)
        return await pool.use(given.signal, (free, signal) => free.run(job, signal))
      } finally {
        clearInterval(wait)
        reader.leave()
      }
    },
    close: () => pool.close(),
  }
}

async function startThreadOf(
  {
    find = findMoonshine,
    runtime = 'auto',
    worker = WORKER,
    startThread = threadHere,
    ...watching
  }: MoonshineEngineOptions,
  signal: AbortSignal,
): Promise<RecognitionThread> {
  const parts = await unlessAborted(find(), signal)
  // The signal may have aborted at this moment.
  signal.throwIfAborted()
  const data: ThreadData = { ...parts, runtime }
  return startRecognitionThread(() => startThread<ThreadReply>(worker, { name: 'moonshine', data }), watching)
}

/** A thread that recognizes one recording at a time. */
export type RecognitionThread = SupervisedThread<ThreadRequest, ThreadReply>

/** Options of {@link startRecognitionThread}. */
export interface RecognitionThreadOptions extends WatchdogOptions {
  /**
   * Time for the thread to notice an abort before it is ended, in milliseconds. It looks every tenth of a second, but
   * the end of a long utterance takes it up to two seconds.
   * @default 3000
   */
  readonly cancelTimeout?: number
}

/**
 * Starts a thread that answers {@link ThreadRequest}. After an abort it stays usable.
 * @throws EngineFailedError when the thread cannot be started.
 */
export function startRecognitionThread(
  spawn: () => Thread<ThreadReply>,
  { cancelTimeout = 3000, ...watching }: RecognitionThreadOptions = {},
): RecognitionThread {
  const options: SupervisedThreadOptions<ThreadRequest, ThreadReply> = {
    ...watching,
    label: 'The speech recognizer',
    stop: { request: { type: 'cancel' }, confirms: ({ type }) => type === 'cancelled', timeout: cancelTimeout },
  }
  return new SupervisedThread(spawn, options)
}

/** The recognition of one recording. */
export class RecognitionJob implements ThreadJob<ThreadRequest, ThreadReply, Recognition> {
  readonly #recording: RecordingJob<Recognition>
  readonly #options: RecognizeOptions

  /** @param othersWait As for {@link RecordingJob}. */
  constructor(source: BlockSource, options: RecognizeOptions = {}, othersWait?: () => boolean) {
    this.#recording = new RecordingJob(source, undefined, othersWait)
    this.#options = options
  }

  start(thread: BusyThread<ThreadRequest>): Promise<void> {
    thread.post({ type: 'begin', keyterms: this.#options.keyterms ?? [] })
    return this.#recording.start(thread)
  }

  receive(reply: ThreadReply): Outcome<Recognition> | undefined {
    if (reply.type === 'consumed' || reply.type === 'result') return this.#recording.receive(reply)
    if (reply.type === 'heard') this.#tell(reply.heard)
    this.#recording.watch()
    return undefined
  }

  #tell(heard: Heard): void {
    if ('words' in heard) this.#options.onWords?.(heard.words)
    else this.#options.onSegment?.(heard.segment)
  }
}

/** `workerData` of a recognition thread. */
export interface ThreadData extends MoonshineParts {
  /** What runs the graphs. */
  readonly runtime: RuntimeChoice
}

/**
 * Messages to a recognition thread. A recording is `begin`, any number of `samples`, then `end` or `cancel`. The next
 * one begins only after its `result` or `cancelled`.
 */
export type ThreadRequest =
  | { readonly type: 'begin'; readonly keyterms: readonly string[] }
  | RecordingRequest
  | { readonly type: 'cancel' }

/**
 * Answers of a recognition thread: `consumed` after each `samples`, when it holds them no longer, and `heard` for each
 * utterance with words. The thread reports an error by throwing it, which ends the thread: after a trap its memory is not
 * reliable.
 */
export type ThreadReply =
  | RecordingReply<Recognition>
  | { readonly type: 'heard'; readonly heard: Heard }
  | { readonly type: 'cancelled' }

/** What the threads of a recognizer run. */
export interface MoonshineParts {
  /** Paths of the weights. */
  readonly moonshine: MoonshineFiles
  /** Path of the graph that finds speech. */
  readonly silero: string
  /** What finds the times of words. @default they are unknown */
  readonly pocketSphinx?: AlignerParts | undefined
}

/** Finds the installed recognizer. @throws EngineFailedError that names the package when it is missing */
async function findMoonshine(): Promise<MoonshineParts> {
  const weights = await unlessMissing('@svc-audio/moonshine-en', () => import('@svc-audio/moonshine-en'))
  if (weights === undefined) {
    throw new EngineFailedError(
      'The bundled recognizer is not installed. Run `npm install @svc-audio/moonshine-en`, or name another engine in the file of engines.',
    )
  }
  const aligner = await unlessMissing('@svc-audio/pocketsphinx-en', () => import('@svc-audio/pocketsphinx-en'))
  return {
    moonshine: weights.moonshineFiles,
    silero: sileroVadFile,
    pocketSphinx: aligner && { files: aligner.pocketSphinxFiles, memoryBytes: aligner.MEMORY_BYTES },
  }
}

/** Returns an optional package; `undefined` when it is not installed. */
async function unlessMissing<Package>(name: string, load: () => Promise<Package>): Promise<Package | undefined> {
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (isMissing && error.message.includes(`'${name}'`)) return undefined
    throw error
  }
}
