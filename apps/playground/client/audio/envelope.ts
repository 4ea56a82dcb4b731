/** Stored peaks per second of speech. */
const RATE = 50

/** Collects the peak of every 20 ms of audio, for a waveform. */
export class Envelope {
  readonly #frames: number
  readonly #peaks: number[] = []
  #peak = 0
  #count = 0

  constructor(sampleRate: number) {
    this.#frames = Math.max(1, Math.round(sampleRate / RATE))
  }

  /** Takes samples from -1 to 1. */
  push(samples: Float32Array): void {
    for (const sample of samples) {
      this.#peak = Math.max(this.#peak, Math.abs(sample))
      this.#count += 1
      if (this.#count < this.#frames) continue
      this.#peaks.push(this.#peak)
      this.#peak = 0
      this.#count = 0
    }
  }

  /** Returns the peaks of `count` equal parts of the audio so far, 0 to 1. */
  bars(count: number): number[] {
    const peaks = this.#peaks
    return Array.from({ length: count }, (_, index) => {
      const from = Math.floor((index * peaks.length) / count)
      const to = Math.max(from + 1, Math.floor(((index + 1) * peaks.length) / count))
      return peaks.slice(from, to).reduce((most, peak) => Math.max(most, peak), 0)
    })
  }
}
