import { Worker } from 'node:worker_threads'

/** A worker thread, of this process or of another one: the part of Node's `Worker` that is used here. */
export interface Thread<Reply> {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (reply: Reply) => void): unknown
  on(event: 'messageerror' | 'error', listener: (error: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  /** Resolves once it is gone. */
  terminate(): Promise<unknown>
  /** It keeps this process alive, as it does from its start. */
  ref(): void
  /** It does not keep this process alive. */
  unref(): void
}

/** What a thread is started with. */
export interface ThreadOptions {
  /** What it is called where threads are listed. */
  readonly name: string
  /** Its `workerData`. Of views of bytes, only `Int16Array` and `Uint8Array`, at the top or one step below it. */
  readonly data?: unknown
}

/** Starts a thread that runs a file. What it replies is untyped by nature: anyone who starts it knows the file. */
export type StartThread = <Reply>(entry: URL, options: ThreadOptions) => Thread<Reply>

/** A thread of this process. */
export const threadHere: StartThread = (entry, { name, data }) =>
  // no arguments of this process: some of them, such as `--input-type`, keep a worker from starting
  new Worker(entry, { name, workerData: data, execArgv: [] })
