/** Loudness of audio at a moment. Full scale is 1. */
export interface Level {
  /** Root mean square: the loudness. */
  readonly rms: number
  /** Largest sample. */
  readonly peak: number
}

/** Silence. */
export const SILENCE: Level = { rms: 0, peak: 0 }

/** Computes one level for every `frames` samples. */
export class LevelWindow {
  readonly #frames: number
  #count = 0
  #squares = 0
  #peak = 0

  constructor(frames: number) {
    this.#frames = frames
  }

  /** Takes samples. @returns a level when the window is full */
  push(samples: Float32Array): Level | undefined {
    for (const sample of samples) {
      this.#squares += sample * sample
      this.#peak = Math.max(this.#peak, Math.abs(sample))
    }
    this.#count += samples.length
    if (this.#count < this.#frames) return undefined
    const level = { rms: Math.sqrt(this.#squares / this.#count), peak: this.#peak }
    this.#count = 0
    this.#squares = 0
    this.#peak = 0
    return level
  }
}

/** Message from the recorder: the next samples from -1 to 1, and their level. */
export interface RecorderOutput {
  readonly samples: Float32Array
  readonly level: Level
}
