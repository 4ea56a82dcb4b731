import type { ThreadOptions } from './thread.ts'

/** What a host of threads is told. Threads are known by numbers that are never used again. */
export type HostRequest =
  | ({ readonly type: 'start'; readonly id: number; readonly entry: string } & ThreadOptions)
  | { readonly type: 'post'; readonly id: number; readonly message: unknown }
  | { readonly type: 'terminate'; readonly id: number }

/** What it tells of a thread. */
export interface HostReply {
  readonly id: number
  readonly event: 'message' | 'messageerror' | 'error' | 'exit'
  /** The message, the error or the exit code. */
  readonly value: unknown
}
