import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DatabaseUnavailableError, SchemaError } from '../../domain/errors.ts'
import type { Stores, StoresOptions } from '../sql/stores.ts'

const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './database-worker.ts' : './database-worker.js',
  import.meta.url,
)

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs the writes of the stores in a thread of its own, so that a slow disk does not stop answers. A thread that is lost
 * fails its calls; the next call starts another one.
 */
export class DatabaseThread {
  readonly #data: DatabaseThreadData
  readonly #onCommit: (milliseconds: number) => void
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #opening: Promise<void> | undefined
  #calls = 0
  #closed = false

  private constructor(data: DatabaseThreadData, onCommit: (milliseconds: number) => void) {
    this.#data = data
    this.#onCommit = onCommit
  }

  /**
   * Opens the database in a thread; makes or upgrades its tables.
   * @throws SchemaError when the file has other tables; errors of SQLite
   */
  static async open(
    data: DatabaseThreadData,
    onCommit: (milliseconds: number) => void = () => {},
  ): Promise<DatabaseThread> {
    const thread = new DatabaseThread(data, onCommit)
    await thread.#open()
    return thread
  }

  /**
   * Calls a method of a store. Resolves when its changes are on the disk.
   * @throws What the method throws, with its code; Error when the thread is lost
   */
  async call(request: Omit<Exclude<DatabaseRequest, 'close'>, 'id'>): Promise<unknown> {
    if (this.#closed) throw new DatabaseUnavailableError(undefined, 'The database is closed')
    if (this.#worker === undefined) await this.#open()
    this.#calls += 1
    const id = this.#calls
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, reject })
    // A process that stops waits for its last writes.
    this.#worker?.ref()
    this.#worker?.postMessage({ id, ...request } satisfies DatabaseRequest)
    return promise
  }

  /** Resolves when all calls have ended and the connection is closed. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#opening?.catch(() => undefined)
    const worker = this.#worker
    if (worker === undefined) return
    worker.ref()
    const gone = once(worker, 'exit')
    const request: DatabaseRequest = 'close'
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(request)
    await gone
  }

  #open(): Promise<void> {
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #start(): Promise<void> {
    const worker = new Worker(ENTRY, {
      name: 'database',
      workerData: this.#data,
      // Node 22 and 24 call SQLite experimental. The program hides that line too.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const { promise, resolve, reject } = Promise.withResolvers<DatabaseOpening>()
    worker.on('message', (message: DatabaseOpening | DatabaseReplies | DatabaseCommit) => {
      if ('open' in message) resolve(message)
      else if ('commit' in message) this.#onCommit(message.commit)
      else this.#settle(message)
    })
    worker.on('error', (error) => {
      reject(error)
      this.#lose(worker, error)
    })
    worker.on('exit', () => {
      const error = new Error('The thread of the database has ended')
      reject(error)
      this.#lose(worker, error)
    })
    const opening = await promise
    if (!opening.open) {
      const { error } = opening
      throw error.name === 'SchemaError' ? new SchemaError(error.message) : unpackError(error)
    }
    // The server keeps the process alive.
    worker.unref()
    this.#worker = worker
  }

  #settle(replies: DatabaseReplies): void {
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id)
      this.#pending.delete(reply.id)
      if ('error' in reply) pending?.reject(unpackError(reply.error))
      else pending?.resolve(reply.value)
    }
    if (this.#pending.size === 0) this.#worker?.unref()
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const lost = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of lost) reject(error)
  }
}

/** `workerData` of the thread. */
export interface DatabaseThreadData extends StoresOptions {
  /** Path of the database. */
  readonly path: string
}

/** A call of a store, or the end. */
export type DatabaseRequest =
  | { readonly id: number; readonly store: keyof Stores; readonly method: string; readonly args: readonly unknown[] }
  | 'close'

/** The first message: whether the database is open. The thread ends after an error. */
export type DatabaseOpening = { readonly open: true } | { readonly open: false; readonly error: SentError }

/** The time of a commit, in milliseconds. */
export interface DatabaseCommit {
  readonly commit: number
}

/** The results of calls. Calls of one group come in one message. */
type DatabaseReplies = readonly DatabaseReply[]

/** The result of a call. */
export type DatabaseReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError }

/** An error as a message between threads. Cloning alone would lose its name and its codes. */
interface SentError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: unknown
  readonly errcode: unknown
}

/** Makes the message of an error. */
export function packError(error: unknown): SentError {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), stack: undefined, code: undefined, errcode: undefined }
  const { name, message, stack } = error
  return {
    name,
    message,
    stack,
    code: 'code' in error ? error.code : undefined,
    errcode: 'errcode' in error ? error.errcode : undefined,
  }
}

/** Makes the error of a message. `errorCode` reads it as it read the original. */
function unpackError({ message, ...rest }: SentError): Error {
  const known = Object.entries(rest).filter(([, value]) => value !== undefined)
  return Object.assign(new Error(message), Object.fromEntries(known))
}
