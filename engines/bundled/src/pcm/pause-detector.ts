import { FRAMES_PER_SECOND } from './frames.ts'

/** Frames in the average of loudness. Speech itself has gaps of a few frames, for example before a "t". */
const SMOOTHED_FRAMES = 5

/** The past that counts, in blocks of half a second: longer than any speaker's breath. */
const BLOCK_FRAMES = FRAMES_PER_SECOND / 2
const BLOCKS = 12

/**
 * Lowest noise level of a recording, in dB over one quantization step. A lower one would mistake room noise for speech.
 */
const LOWEST_FLOOR = 24

/** Loudness of one frame, and whether it is a pause there. */
export interface JudgedFrame {
  /** Loudness, smoothed over the last 50 ms, in dB. */
  readonly loudness: number
  /** Whether the frame is a pause: nearer to the quietest than to the loudest of the last seconds. */
  readonly quiet: boolean
}

/**
 * Distinguishes pauses from speech by loudness alone, at any recording level and over any steady noise. Compares each
 * frame with the quietest and the loudest of the last six seconds.
 */
export class PauseDetector {
  readonly #last: number[] = []
  readonly #blocks: { low: number; high: number; frames: number }[] = []

  /** @param loudness Loudness of the next frame of 10 ms, in dB over one quantization step. */
  push(loudness: number): JudgedFrame {
    this.#last.push(loudness)
    if (this.#last.length > SMOOTHED_FRAMES) this.#last.shift()
    const smoothed = this.#last.reduce((sum, value) => sum + value, 0) / this.#last.length
    this.#remember(smoothed)
    const floor = Math.max(Math.min(...this.#blocks.map(({ low }) => low)), LOWEST_FLOOR)
    const peak = Math.max(...this.#blocks.map(({ high }) => high))
    // A third of the way up, but not so far that a clean recording loses the soft end of a word.
    const margin = Math.min(Math.max((peak - floor) / 3, 3), 15)
    return { loudness: smoothed, quiet: smoothed < floor + margin }
  }

  #remember(loudness: number): void {
    const block = this.#blocks.at(-1)
    if (block === undefined || block.frames === BLOCK_FRAMES) {
      this.#blocks.push({ low: loudness, high: loudness, frames: 1 })
      if (this.#blocks.length > BLOCKS) this.#blocks.shift()
      return
    }
    block.low = Math.min(block.low, loudness)
    block.high = Math.max(block.high, loudness)
    block.frames += 1
  }
}
