import type { Level } from './level.ts'

/** Message from the recorder: the next samples from -1 to 1, and their level. */
export interface RecorderOutput {
  readonly samples: Float32Array
  readonly level: Level
}
