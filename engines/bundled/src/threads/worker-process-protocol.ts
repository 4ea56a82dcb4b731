import type { ThreadOptions } from './thread.ts'

/** Messages to a host of threads. Thread numbers are never reused. */
export type HostRequest =
  | ({ readonly type: 'start'; readonly id: number; readonly entry: string } & ThreadOptions)
  | { readonly type: 'post'; readonly id: number; readonly message: unknown }
  | { readonly type: 'terminate'; readonly id: number }
  | { readonly type: 'ping' }

/** The response to a ping. */
export interface HostPong {
  readonly event: 'pong'
  readonly residentBytes: number
}

/** Messages about a thread. */
export interface HostReply {
  readonly id: number
  readonly event: 'message' | 'messageerror' | 'error' | 'exit'
  /** The message, the error or the exit code. */
  readonly value: unknown
}
