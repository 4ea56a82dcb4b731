import { EngineClosedError, EngineFailedError, type LiveDetector, type LiveDetectors } from '@svc-audio/engine-ports'
import { systemTimers, type Timers } from '@svc-audio/engine-ports/driver'
import { sileroVadFile } from '@svc-audio/silero-vad'
import type { RuntimeChoice } from '../onnx/runtime.ts'
import { type StartThread, type Thread, threadHere } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Time without a recording after which the thread ends, in milliseconds. */
const IDLE_MS = 60_000

/** Options of {@link createLiveDetectors}. */
export interface LiveDetectorsOptions {
  /** What runs the graph. @default 'auto' */
  readonly runtime?: RuntimeChoice | undefined
  /** Path of the graph. @default that of `@svc-audio/silero-vad` */
  readonly silero?: string
  /** Starts the thread. @default in this process */
  readonly startThread?: StartThread
  /** Measures the time without a recording. @default the machine's clock */
  readonly clock?: Timers
}

/** `workerData` of the thread. */
export interface LiveDetectorData {
  readonly runtime: RuntimeChoice
  readonly silero: string
}

/** Messages to the thread. Each `samples` gets one {@link LiveReply}, in order. */
export type LiveRequest =
  | { readonly type: 'samples'; readonly id: number; readonly samples: Int16Array }
  | { readonly type: 'close'; readonly id: number }

/** The probability of speech in each frame that the samples completed. */
export interface LiveReply {
  readonly id: number
  readonly speech: readonly number[]
}

/**
 * Makes detectors of speech for live recordings. One thread serves all of them: a second of sound takes it about ten
 * milliseconds. It starts with the first recording and ends a minute after the last one.
 *
 * `judge` rejects with an EngineFailedError when the thread fails. The next recording starts another thread.
 */
export function createLiveDetectors(options: LiveDetectorsOptions = {}): LiveDetectors {
  const { runtime = 'auto', silero = sileroVadFile, startThread = threadHere, clock = systemTimers } = options
  const data: LiveDetectorData = { runtime, silero }
  let current: DetectorThread | undefined
  let isClosed = false
  return {
    open() {
      if (isClosed) throw new EngineClosedError('silero')
      if (current?.isAlive !== true) {
        current = new DetectorThread(startThread<LiveReply>(WORKER, { name: 'speech-detector', data }), clock)
      }
      return current.open()
    },
    async close() {
      isClosed = true
      await current?.end(new EngineClosedError('silero'))
    },
  }
}

/** Waits for a reply. */
interface Waiting {
  readonly resolve: (speech: readonly number[]) => void
  readonly reject: (error: Error) => void
}

class DetectorThread {
  readonly #thread: Thread<LiveReply>
  readonly #clock: Timers
  readonly #recordings = new Map<number, Waiting[]>()
  #count = 0
  #isAlive = true
  #cancelEnd: (() => void) | undefined

  constructor(thread: Thread<LiveReply>, clock: Timers) {
    this.#thread = thread
    this.#clock = clock
    // Recordings keep the process alive by their connections.
    thread.unref()
    thread.on('message', ({ id, speech }) => this.#recordings.get(id)?.shift()?.resolve(speech))
    const fail = (cause: unknown): void => this.#lose(new EngineFailedError('The speech detector failed', { cause }))
    thread.on('error', fail)
    thread.on('messageerror', fail)
    thread.on('exit', (code) => fail(new Error(`The thread ended with ${code}`)))
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  open(): LiveDetector {
    this.#cancelEnd?.()
    this.#count += 1
    const id = this.#count
    const waiting: Waiting[] = []
    this.#recordings.set(id, waiting)
    return {
      judge: (samples) =>
        new Promise((resolve, reject) => {
          if (!this.#recordings.has(id)) return reject(new EngineFailedError('The speech detector has ended'))
          waiting.push({ resolve, reject })
          this.#post({ type: 'samples', id, samples })
        }),
      close: () => {
        if (!this.#recordings.delete(id)) return
        for (const { reject } of waiting.splice(0)) reject(new EngineClosedError('silero'))
        this.#post({ type: 'close', id })
        if (this.#recordings.size === 0) this.#cancelEnd = this.#clock.setTimer(IDLE_MS, () => void this.#endIdle())
      },
    }
  }

  async end(reason: Error): Promise<void> {
    if (!this.#isAlive) return
    this.#lose(reason)
    await this.#thread.terminate()
  }

  async #endIdle(): Promise<void> {
    if (this.#recordings.size === 0) await this.end(new EngineClosedError('silero'))
  }

  #post(request: LiveRequest): void {
    if (this.#isAlive) this.#thread.postMessage(request, [])
  }

  #lose(reason: Error): void {
    this.#isAlive = false
    this.#cancelEnd?.()
    for (const waiting of this.#recordings.values()) for (const { reject } of waiting.splice(0)) reject(reason)
    this.#recordings.clear()
  }
}
