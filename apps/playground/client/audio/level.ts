/** How loud audio is at a moment; full scale is 1. */
export interface Level {
  /** Root mean square: the loudness. */
  readonly rms: number
  /** Largest sample. */
  readonly peak: number
}

/** Silence. */
export const SILENCE: Level = { rms: 0, peak: 0 }

/** Collects samples into one level for every `frames` of them. */
export class LevelWindow {
  readonly #frames: number
  #count = 0
  #squares = 0
  #peak = 0

  constructor(frames: number) {
    this.#frames = frames
  }

  /** Takes samples. @returns a level whenever enough of them have come */
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
