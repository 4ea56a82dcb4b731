/** Stored levels per second of audio. */
export const LEVELS_PER_SECOND = 20

/** Loudness over time, 0 to 1, {@link LEVELS_PER_SECOND} values a second. A waveform draws it. */
export interface Levels {
  readonly length: number
  /** The level at an index. */
  at(index: number): number
}

/** Collects the levels of audio as it arrives. Half an hour takes 144 KB. */
export class LevelTrack implements Levels {
  readonly #window: number
  #levels = new Float32Array(1024)
  #length = 0
  #peak = 0
  #count = 0

  constructor(sampleRate: number) {
    this.#window = Math.max(1, Math.round(sampleRate / LEVELS_PER_SECOND))
  }

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return index < this.#length ? (this.#levels[index] ?? 0) : 0
  }

  /** Takes samples from -1 to 1. */
  push(samples: Float32Array): void {
    for (const sample of samples) {
      const size = Math.abs(sample)
      if (size > this.#peak) this.#peak = size
      this.#count += 1
      if (this.#count === this.#window) this.#store()
    }
  }

  #store(): void {
    if (this.#length === this.#levels.length) {
      const larger = new Float32Array(this.#length * 2)
      larger.set(this.#levels)
      this.#levels = larger
    }
    this.#levels[this.#length] = this.#peak
    this.#length += 1
    this.#peak = 0
    this.#count = 0
  }
}

/**
 * Returns the heights of `count` bars for audio of a length in seconds, 0 to 1. A bar is the mean of its levels, not the
 * loudest of them: words and pauses then stay visible. A bar of a long audio takes its first second only: means of more
 * are all alike.
 */
export function barsOf(levels: Levels, seconds: number, count: number): number[] {
  const step = (seconds * LEVELS_PER_SECOND) / count
  return Array.from({ length: count }, (_, bar) => {
    const first = Math.floor(bar * step)
    const last = Math.min(Math.max(first + 1, Math.floor((bar + 1) * step)), first + LEVELS_PER_SECOND)
    let sum = 0
    for (let index = first; index < last; index += 1) sum += levels.at(index)
    return sum / (last - first)
  })
}

/** Computes the levels of decoded audio. */
export function levelsOf(samples: Float32Array, sampleRate: number): Levels {
  const meter = new LevelTrack(sampleRate)
  meter.push(samples)
  return meter
}

/** Pixels from bar to bar, and the width of a bar, whose ends are round. */
const STEP = 5
const BAR = 3
/** Levels below this value are drawn as silence. */
const QUIET = 0.04

/**
 * Returns the bars of audio as a path of SVG, in CSS pixels, scaled to the full height: it shows the shape. The work depends
 * on the width alone.
 * @param duration Of the audio, in seconds.
 */
export function waveformPath(levels: Levels | undefined, duration: number, width: number, height: number): string {
  const count = Math.max(1, Math.floor(width / STEP))
  const bars = levels === undefined ? Array.from({ length: count }, () => 0) : barsOf(levels, duration, count)
  const loudest = bars.reduce((most, bar) => Math.max(most, bar), QUIET)
  const lines = bars.map((bar, index) => {
    const length = Math.max(0.1, (bar / loudest) * height - BAR)
    return `M${(index + 0.5) * STEP} ${((height - length) / 2).toFixed(1)}v${length.toFixed(1)}`
  })
  return lines.join('')
}
