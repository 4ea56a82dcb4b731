import { Worker } from 'node:worker_threads'
import { systemTimers, type Timers } from '@svc-audio/engine-ports/driver'

/** A worker thread, of this process or of another one: the used part of Node's `Worker`. */
export interface Thread<Reply> {
  /**
   * Sends a message that the thread receives as a copy.
   * @param transfer Buffers that move to the thread instead. They are detached here.
   */
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  /** Calls `listener` with each message of the thread, in order. */
  on(event: 'message', listener: (reply: Reply) => void): unknown
  /** Calls `listener` when a message cannot be read, or with the error that ends the thread. */
  on(event: 'messageerror' | 'error', listener: (error: unknown) => void): unknown
  /** Calls `listener` once when the thread has ended, with 0 for an end of its own accord. It follows an error. */
  on(event: 'exit', listener: (code: number) => void): unknown
  /** Resolves after the exit. */
  terminate(): Promise<unknown>
  /**
   * The share of the time since its last call that the thread was given, from 0 to 1. For the rest it waited for a
   * processor. @default unknown: all of the time counts
   */
  readonly share?: () => number
  /** Makes it keep this process alive, the default. */
  ref(): void
  /** Stops it from keeping this process alive. */
  unref(): void
}

/** Options of a new thread. */
export interface ThreadOptions {
  /** Its name in lists of threads. */
  readonly name: string
  /** Its `workerData`. Of views of bytes, only `Int16Array` and `Uint8Array`, at the top or one step below it. */
  readonly data?: unknown
}

/** Starts a thread that runs a file. Its replies are untyped by nature: the caller knows the file. */
export type StartThread = <Reply>(entry: URL, options: ThreadOptions) => Thread<Reply>

/** Starts a thread in this process. */
export const threadHere: StartThread = (entry, { name, data }) =>
  // Without this process's arguments: some, such as `--input-type`, prevent a worker's start.
  new Worker(entry, { name, workerData: data, execArgv: [] })

/**
 * Gives bytes from a pipe a separate buffer. They share a buffer with other data, and passing them on would copy all of
 * it.
 * @param message Its views of bytes are found at the top and one step below, where all messages here have them.
 */
export function ownedBytes(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return message
  if (ArrayBuffer.isView(message)) return copyOf(message)
  for (const [name, value] of Object.entries(message)) {
    if (ArrayBuffer.isView(value)) Object.assign(message, { [name]: copyOf(value) })
  }
  return message
}

function copyOf(view: ArrayBufferView): Int16Array | Uint8Array {
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)
  return view instanceof Int16Array ? new Int16Array(bytes) : new Uint8Array(bytes)
}

/** How a thread with work that gives no sign of life is noticed. */
export interface WatchdogOptions {
  /** Timers, for tests. @default the machine's clock */
  readonly clock?: Timers | undefined
  /**
   * How long a thread with work may give no sign of life, in milliseconds that it was given. The longest steps, a
   * sentence to speak or an utterance to recognize, take two seconds at most on an idle machine.
   * @default 60000
   */
  readonly patience?: number | undefined
  /**
   * The share of the time since its last call that the thread was given, from 0 to 1. On a machine with other work it
   * waits for a processor, and that does not count.
   * @default all of the time
   */
  readonly share?: (() => number) | undefined
}

/** See {@link WatchdogOptions.patience}. */
const DEFAULT_PATIENCE = 60_000

/**
 * The time is counted in parts. When this thread blocks for long and reads no response, one timer fires late, which
 * counts as one part.
 */
const PARTS = 4

/** Shares do not add up exactly. */
const NO_PART = 0.01

/** Notices a thread that has work and gives no sign of life. */
export class Watchdog {
  readonly #onSilence: () => void
  readonly #clock: Timers
  readonly #patience: number
  readonly #share: () => number
  #cancel: (() => void) | undefined

  /** @param onSilence Called once when the time is over. */
  constructor(
    onSilence: () => void,
    { clock = systemTimers, patience = DEFAULT_PATIENCE, share = () => 1 }: WatchdogOptions = {},
  ) {
    this.#onSilence = onSilence
    this.#clock = clock
    this.#patience = patience
    this.#share = share
  }

  /**
   * Restarts the time. Call it when the thread gets work, or gives a sign of life and has more.
   * @param extra Time for this work beyond the common time, in milliseconds.
   */
  watch(extra: number = 0): void {
    this.#wait((this.#patience + extra) / PARTS, PARTS)
  }

  /** The thread has nothing to do. */
  rest(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /**
   * @param left Parts until silence.
   * @param measured Whether this part began with a measurement. A measurement at each sign of life would cost too much,
   * so the first part counts in full.
   */
  #wait(part: number, left: number, measured: boolean = false): void {
    this.rest()
    if (left < NO_PART) return this.#onSilence()
    this.#cancel = this.#clock.setTimer(part, () => {
      const share = this.#share()
      this.#wait(part, left - (measured ? share : 1), true)
    })
  }
}
