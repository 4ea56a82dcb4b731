import type { Level } from './level.ts'

/** To the player: audio, one array per channel; that no more comes; or to fall silent at once. */
export type PlayerInput =
  | { readonly type: 'audio'; readonly channels: readonly Float32Array[] }
  | { readonly type: 'end' }
  | { readonly type: 'stop' }

/** From the player: that sound began, how far it is and how loud, and that everything has been played. */
export type PlayerOutput =
  | { readonly type: 'start' }
  | { readonly type: 'level'; readonly level: Level; readonly playedFrames: number }
  | { readonly type: 'end'; readonly playedFrames: number }
