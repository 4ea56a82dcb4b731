/**
 * Message to the player. `audio` adds one array per channel to the queue, `end` follows the last audio, `flush` empties
 * the queue for another position, `pause` holds the position, and `stop` ends the player.
 */
export type PlayerInput =
  | { readonly type: 'audio'; readonly channels: readonly Float32Array[] }
  | { readonly type: 'flush'; readonly generation: number }
  | { readonly type: 'pause'; readonly paused: boolean }
  | { readonly type: 'end' }
  | { readonly type: 'stop' }

/** Message from the player. */
export interface PlayerOutput {
  /** `start`: the first sample plays. `position`: regularly. `end`: all was played. */
  readonly type: 'start' | 'position' | 'end'
  /** The number of the last `flush`. Reports from before a flush have an older one. */
  readonly generation: number
  /** Frames played since the flush. */
  readonly played: number
  /** Frames in the queue. */
  readonly queued: number
  /** Frames of silence since the flush, because audio was late. */
  readonly starved: number
  /** When the worklet sent it, as `Date.now()`. The page may be busy when it arrives. */
  readonly at: number
}
