import type { SentError } from './sent-error.ts'
import type { Stores, StoresOptions } from './stores.ts'

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
export type DatabaseReplies = readonly DatabaseReply[]

/** The result of a call. */
export type DatabaseReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError }
