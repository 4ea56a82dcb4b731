import { Worker } from 'node:worker_threads'

/** A worker thread, of this process or of another one: the used part of Node's `Worker`. */
export interface Thread<Reply> {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (reply: Reply) => void): unknown
  on(event: 'messageerror' | 'error', listener: (error: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  /** Resolves after the exit. */
  terminate(): Promise<unknown>
  /** See {@link WatchdogOptions.share}. @default unknown: all of the time counts */
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
