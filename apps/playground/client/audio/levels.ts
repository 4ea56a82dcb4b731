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

/** Pixels from bar to bar, and of a bar. */
const STEP = 5
const BAR = 3
/** Levels below this value are drawn as silence. */
const QUIET = 0.04

/** What {@link drawWaveform} draws. */
export interface WaveformPicture {
  readonly levels: Levels | undefined
  /** Length of the audio, in seconds. */
  readonly duration: number
  /** Share of the audio that was played, 0 to 1. */
  readonly played: number
  /** Size of the canvas, in CSS pixels. */
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly playedColour: string
}

/** The part of a 2D context that {@link drawWaveform} needs. */
export type WaveformContext = Pick<
  CanvasRenderingContext2D,
  'clearRect' | 'beginPath' | 'roundRect' | 'fill' | 'fillStyle'
>

/** Draws the bars of audio, scaled to the full height: it shows the shape. The work depends on the width alone. */
export function drawWaveform(context: WaveformContext, picture: WaveformPicture): void {
  const { levels, duration, played, width, height, colour, playedColour } = picture
  const count = Math.max(1, Math.floor(width / STEP))
  const bars = levels === undefined ? Array.from({ length: count }, () => 0) : barsOf(levels, duration, count)
  const loudest = bars.reduce((most, bar) => Math.max(most, bar), QUIET)
  const border = Math.round(played * count)
  context.clearRect(0, 0, width, height)
  for (const [from, to, style] of [
    [0, border, playedColour],
    [border, count, colour],
  ] as const) {
    context.beginPath()
    for (let index = from; index < to; index += 1) {
      const size = Math.max(BAR, ((bars[index] ?? 0) / loudest) * height)
      context.roundRect(index * STEP + (STEP - BAR) / 2, (height - size) / 2, BAR, size, BAR / 2)
    }
    context.fillStyle = style
    context.fill()
  }
}
