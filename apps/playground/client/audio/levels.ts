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

/** The part of audio that a waveform shows, in seconds. */
export interface View {
  readonly from: number
  readonly to: number
}

/** Longest part that one waveform shows, in seconds. In more, every bar would be as high as the next. */
const MAX_VIEW_SECONDS = 45

/** Selects the part to show: all of a short audio, else the page of {@link MAX_VIEW_SECONDS} around the position. */
export function viewOf(position: number, duration: number): View {
  if (duration <= MAX_VIEW_SECONDS) return { from: 0, to: duration }
  const page = Math.min(Math.floor(position / MAX_VIEW_SECONDS), Math.ceil(duration / MAX_VIEW_SECONDS) - 1)
  return { from: page * MAX_VIEW_SECONDS, to: (page + 1) * MAX_VIEW_SECONDS }
}

/**
 * Returns the heights of `count` bars for a part of the audio, 0 to 1. A bar is the mean of its levels, not the loudest
 * of them: words and pauses then stay visible.
 */
export function barsOf(levels: Levels, { from, to }: View, count: number): number[] {
  const start = from * LEVELS_PER_SECOND
  const step = ((to - from) * LEVELS_PER_SECOND) / count
  return Array.from({ length: count }, (_, bar) => {
    const first = Math.floor(start + bar * step)
    const last = Math.max(first + 1, Math.floor(start + (bar + 1) * step))
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
