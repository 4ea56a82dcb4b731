import { availableParallelism } from 'node:os'
import {
  EngineFailedError,
  type Recognition,
  type RecognitionEngine,
  type RecognizedWord,
  type RecognizeOptions,
} from '@svc-audio/engine-ports'
import { checkWorkers, ThreadPool, untilAborted } from '@svc-audio/engine-ports/driver'
import { type BlockSource, PcmReader } from '@svc-audio/engine-ports/listening'
import type { PocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import { RecordingJob, type RecordingReply, type RecordingRequest } from '../threads/recordings.ts'
import {
  type BusyThread,
  type Outcome,
  SupervisedThread,
  type SupervisedThreadOptions,
  type ThreadJob,
} from '../threads/supervised-thread.ts'
import { type StartThread, type Thread, threadHere, type WatchdogOptions } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** The longest time of a timer. */
const FOREVER = 2 ** 31 - 1

/** Options of {@link createPocketSphinxEngine}. */
export interface PocketSphinxEngineOptions extends WatchdogOptions {
  /**
   * Maximum recordings at a time; further ones queue. Each takes a core and 250 MB of memory. A minute without work frees
   * them.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread | undefined
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
  /** Finds what the threads run. Called for each new thread. @default the installed package */
  readonly find?: () => Promise<PocketSphinx>
  /** File of the worker threads. @default this driver's file */
  readonly worker?: URL
}

/**
 * Makes a recognizer of English speech: PocketSphinx as WebAssembly with its model. Nothing to install, no network. Its
 * text is draft quality, in lower case, without punctuation and numerals: one to ten errors in a hundred plain words of
 * synthetic speech, twenty or more with people's speech. Silence, noise and steady tones give an empty text.
 *
 * Keyterms load a separate model for their recording, half a second of work for any number of terms. Measured with ten
 * made-up names in ten sentences of flite voice rms: it finds none without keyterms and all ten with them, also among a
 * hundred. The words of sentences without names stay the same.
 *
 * The first recording loads the engine (about half a second) and waits for it. After a failed load that recording
 * rejects with an EngineFailedError, and the next one retries. Threads idle for a minute exit, and the next
 * recording takes about 0.7 s longer. An idle engine does not keep the process alive.
 *
 * `recognize` rejects with an EngineFailedError when the recognizer fails or is not installed, which does not affect other
 * recordings, and with an EngineClosedError after `close`.
 *
 * @throws RangeError when `workers` is not a positive integer.
 */
export async function createPocketSphinxEngine(options: PocketSphinxEngineOptions = {}): Promise<RecognitionEngine> {
  const { workers: size = availableParallelism() >= 4 ? 2 : 1, othersWait, ...thread } = options
  checkWorkers(size)
  const label = 'The speech recognizer'
  const pool = new ThreadPool({ size, clock: options.clock, label, spawn: (signal) => startThreadOf(thread, signal) })
  return {
    name: 'pocketsphinx',
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
  { find = findPocketSphinx, worker = WORKER, startThread = threadHere, ...watching }: PocketSphinxEngineOptions,
  signal: AbortSignal,
): Promise<RecognitionThread> {
  const data: ThreadData = await untilAborted(find(), signal)
  // The signal may have aborted at this moment.
  signal.throwIfAborted()
  return startRecognitionThread(() => startThread(worker, { name: 'pocketsphinx', data }), watching)
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
    if (reply.type === 'heard') this.#options.onWords?.(reply.words)
    this.#recording.watch()
    return undefined
  }
}

/** `workerData` of a recognition thread. */
export type ThreadData = PocketSphinx

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
 * utterance with words. The thread reports an error by throwing it, which ends the thread: after a trap its memory is
 * not reliable.
 */
export type ThreadReply =
  | RecordingReply<Recognition>
  | { readonly type: 'heard'; readonly words: readonly RecognizedWord[] }
  | { readonly type: 'cancelled' }

/** What the threads of a recognizer run. */
export interface PocketSphinx {
  /** Paths of the module, its JavaScript and the model. */
  readonly files: PocketSphinxFiles
  /** Size of the module's memory, in bytes. */
  readonly memoryBytes: number
}

/** Finds the installed recognizer. @throws EngineFailedError that names the package when it is missing */
async function findPocketSphinx(): Promise<PocketSphinx> {
  const name = '@svc-audio/pocketsphinx-en'
  try {
    const { pocketSphinxFiles: files, MEMORY_BYTES: memoryBytes } = await import('@svc-audio/pocketsphinx-en')
    return { files, memoryBytes }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing || !error.message.includes(`'${name}'`)) throw error
    throw new EngineFailedError(
      `The bundled recognizer is not installed. Run \`npm install ${name}\`, or name another engine in the file of engines.`,
    )
  }
}
