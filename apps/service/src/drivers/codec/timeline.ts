import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import type { DecodedFrame } from './decoded-frames.ts'

const BYTES_PER_SAMPLE = 2

/** Shortest gap that is filled, in seconds. Times of recorders jitter by less. */
const LEAST_GAP_SECONDS = 0.1

/** Longest gap of a file that does not state its length, in seconds. A longer one is a broken time stamp. */
const MOST_GAP_SECONDS = 3600

/** A stated length may be this much too short, in seconds. */
const SLACK_SECONDS = 1

/** Length of one piece of silence, in seconds. */
const SILENCE_SECONDS = 1

/** What a file says about its times. */
export interface TimelineOptions {
  /** Whether the times of the frames count. Without them, frames follow each other. */
  readonly isTimed: boolean
  /** Silence before the first time of the file, in seconds. */
  readonly lead: number
  /** Stated length of the file, in seconds. @default unknown */
  readonly stated: number | undefined
}

/**
 * Places decoded frames where a player plays them. Silence fills a gap in the times. Nothing is ever dropped: frames
 * whose time has passed follow directly, as in files that were joined.
 */
export class Timeline {
  readonly #options: TimelineOptions
  readonly #mixer = new Mixer()
  #samples = 0

  constructor(options: TimelineOptions) {
    this.#options = options
  }

  /** Seconds placed so far. */
  get seconds(): number {
    return this.#samples / RECOGNITION_SAMPLE_RATE
  }

  /** Yields PCM of one channel for some frames. */
  *place(frames: readonly DecodedFrame[]): Generator<Uint8Array> {
    let parts: Uint8Array[] = []
    for (const frame of frames) {
      let gap = this.#gapBefore(frame)
      if (gap > 0 && parts.length > 0) {
        yield Buffer.concat(parts)
        parts = []
      }
      while (gap > 0) {
        const samples = Math.min(gap, SILENCE_SECONDS * RECOGNITION_SAMPLE_RATE)
        gap -= samples
        this.#samples += samples
        yield new Uint8Array(samples * BYTES_PER_SAMPLE)
      }
      const mixed = this.#mixer.mix(frame)
      this.#samples += mixed.byteLength / BYTES_PER_SAMPLE
      parts.push(mixed)
    }
    if (parts.length > 0) yield Buffer.concat(parts)
  }

  /** Samples of silence before a frame. */
  #gapBefore({ milliseconds }: DecodedFrame): number {
    const { isTimed, lead, stated } = this.#options
    if (!isTimed) return 0
    const start = lead + milliseconds / 1000
    const gap = start - this.seconds
    if (gap < LEAST_GAP_SECONDS) return 0
    const isPlausible = stated === undefined ? gap <= MOST_GAP_SECONDS : start <= stated + SLACK_SECONDS
    return isPlausible ? Math.round(gap * RECOGNITION_SAMPLE_RATE) : 0
  }
}

/** The mix must have this share of the quieter channel's energy: 20 dB below it, the channels cancel each other out. */
const CANCELLED = 0.01

/** Time in which the energy of the past fades, in seconds. */
const FADE_SECONDS = 1

/** Mixes two channels into one. Takes the first alone while the mix is far quieter than both: one of them is inverted. */
class Mixer {
  #first = 0
  #second = 0
  #sum = 0

  mix({ channels, samples }: DecodedFrame): Uint8Array {
    if (channels === 1) return samples
    const count = Math.floor(samples.byteLength / BYTES_PER_SAMPLE / channels)
    const pairs = new Int16Array(count * channels)
    new Uint8Array(pairs.buffer).set(samples.subarray(0, pairs.byteLength))
    const isCancelled = this.#weigh(pairs, count)
    const mixed = new Int16Array(count)
    for (let index = 0; index < count; index += 1) {
      const first = pairs[2 * index] ?? 0
      mixed[index] = isCancelled ? first : (first + (pairs[2 * index + 1] ?? 0)) / 2
    }
    return new Uint8Array(mixed.buffer)
  }

  /** Returns whether the channels cancel each other out, by their energy in the last second or so. */
  #weigh(pairs: Int16Array, count: number): boolean {
    const fade = Math.max(0, 1 - count / (FADE_SECONDS * RECOGNITION_SAMPLE_RATE))
    this.#first *= fade
    this.#second *= fade
    this.#sum *= fade
    for (let index = 0; index < count; index += 1) {
      const first = pairs[2 * index] ?? 0
      const second = pairs[2 * index + 1] ?? 0
      this.#first += first * first
      this.#second += second * second
      this.#sum += ((first + second) / 2) ** 2
    }
    return this.#sum < CANCELLED * Math.min(this.#first, this.#second)
  }
}
