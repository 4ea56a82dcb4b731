import type { Level } from './level.ts'

/** Message to the player: `audio` with one array per channel, `end` after the last audio, or `stop` for silence at once. */
export type PlayerInput =
  | { readonly type: 'audio'; readonly channels: readonly Float32Array[] }
  | { readonly type: 'end' }
  | { readonly type: 'stop' }

/** Message from the player: playback began, position and level, or playback ended. */
export type PlayerOutput =
  | { readonly type: 'start' }
  | { readonly type: 'level'; readonly level: Level; readonly playedFrames: number }
  | { readonly type: 'end'; readonly playedFrames: number }
