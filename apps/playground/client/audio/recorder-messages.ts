import type { Level } from './level.ts'

/** From the recorder: the next samples from -1 to 1, and how loud they are. */
export interface RecorderOutput {
  readonly samples: Float32Array
  readonly level: Level
}
