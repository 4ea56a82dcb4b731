import { Worker } from 'node:worker_threads'

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
