import { RECOGNITION_SAMPLE_RATE } from '../recognition-engine.ts'
import { FRAME_SAMPLES, FRAMES_PER_SECOND, loudness } from './pcm.ts'

/** A stretch of the audio that is heard in one call. */
export interface Utterance {
  /** Its start in the whole audio, in samples. */
  readonly startSample: number
  /** Its samples: 16 kHz, one channel. It owns the buffer, which may be transferred. */
  readonly samples: Int16Array<ArrayBuffer>
}

/** Options of {@link UtteranceSplitter}. */
export interface UtteranceSplitterOptions {
  /**
   * Longest utterance, in seconds. The memory of PocketSphinx grows with it: by up to 1 MB per second for one speaker, by
   * three for several simultaneous speakers.
   * @default 15
   */
  readonly maxSeconds?: number
  /**
   * Shortest pause for a cut, in seconds. A shorter pause would cut sentences, and the language model predicts the end
   * of a sentence from its beginning.
   * @default 0.5
   */
  readonly pauseSeconds?: number
}

/** Speech needed before a pause counts, in frames. A click is shorter. */
const LEAST_SPEECH_FRAMES = 10

/**
 * Cuts audio of any length into utterances: in the middle of pauses, or at the quietest spot after too long without a
 * pause. Drops nothing: the utterances together are the audio, silence included. The cuts depend on the audio alone,
 * not on the sizes of the incoming pieces.
 */
export class UtteranceSplitter {
  readonly #maxFrames: number
  readonly #pauseFrames: number
  readonly #detector = new PauseDetector()
  readonly #samples: Int16Array<ArrayBuffer>
  #length = 0
  #startSample = 0
  #frames: JudgedFrame[] = []

  constructor({ maxSeconds = 15, pauseSeconds = 0.5 }: UtteranceSplitterOptions = {}) {
    this.#maxFrames = Math.max(Math.round(maxSeconds * FRAMES_PER_SECOND), 2)
    this.#pauseFrames = Math.max(Math.round(pauseSeconds * FRAMES_PER_SECOND), 2)
    this.#samples = new Int16Array(Math.ceil(maxSeconds * RECOGNITION_SAMPLE_RATE) + FRAME_SAMPLES)
  }

  /** Yields the utterances that these samples complete. Read it to its end before the next call. */
  *push(samples: Int16Array): Generator<Utterance> {
    for (let at = 0; at < samples.length;) {
      const room = (this.#frames.length + 1) * FRAME_SAMPLES - this.#length
      const part = samples.subarray(at, at + room)
      this.#samples.set(part, this.#length)
      this.#length += part.length
      at += part.length
      if (part.length < room) return
      this.#frames.push(
        this.#detector.push(loudness(this.#samples.subarray(this.#length - FRAME_SAMPLES, this.#length))),
      )
      const cut = this.#findCut()
      if (cut !== undefined) yield this.#take(cut * FRAME_SAMPLES)
    }
  }

  /** Returns the rest of the audio, if any. */
  *end(): Generator<Utterance> {
    if (this.#length > 0) yield this.#take(this.#length)
  }

  /** Returns the frame to cut before, or `undefined` while the utterance continues. */
  #findCut(): number | undefined {
    const frames = this.#frames
    if (frames.at(-this.#pauseFrames)?.quiet === true) {
      const pauseStart = frames.findLastIndex(({ quiet }) => !quiet) + 1
      const spoken = frames.reduce((count, { quiet }) => (quiet ? count : count + 1), 0)
      const isPause = frames.length - pauseStart >= this.#pauseFrames
      if (isPause && spoken >= LEAST_SPEECH_FRAMES) return frames.length - (this.#pauseFrames >> 1)
    }
    return frames.length < this.#maxFrames ? undefined : this.#quietestFrame()
  }

  #quietestFrame(): number {
    const half = this.#frames.length >> 1
    let quietest = half
    for (let index = half; index < this.#frames.length; index += 1) {
      if ((this.#frames[index]?.loudness ?? 0) < (this.#frames[quietest]?.loudness ?? 0)) quietest = index
    }
    return quietest
  }

  #take(length: number): Utterance {
    const utterance = { startSample: this.#startSample, samples: this.#samples.slice(0, length) }
    this.#samples.copyWithin(0, length, this.#length)
    this.#length -= length
    this.#startSample += length
    this.#frames = this.#frames.slice(Math.ceil(length / FRAME_SAMPLES))
    return utterance
  }
}

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
interface JudgedFrame {
  /** Loudness, smoothed over the last 50 ms, in dB. */
  readonly loudness: number
  /** Whether the frame is a pause: nearer to the quietest than to the loudest of the last seconds. */
  readonly quiet: boolean
}

/**
 * Distinguishes pauses from speech by loudness alone, at any recording level and over any steady noise. Compares each
 * frame with the quietest and the loudest of the last six seconds.
 */
class PauseDetector {
  readonly #last: number[] = []
  readonly #blocks: { low: number; high: number; frames: number }[] = []

  /** @param level Loudness of the next frame of 10 ms, in dB over one quantization step. */
  push(level: number): JudgedFrame {
    this.#last.push(level)
    if (this.#last.length > SMOOTHED_FRAMES) this.#last.shift()
    const smoothed = this.#last.reduce((sum, value) => sum + value, 0) / this.#last.length
    this.#remember(smoothed)
    const floor = Math.max(Math.min(...this.#blocks.map(({ low }) => low)), LOWEST_FLOOR)
    const peak = Math.max(...this.#blocks.map(({ high }) => high))
    // A third of the way up, but not so far that a clean recording loses the soft end of a word.
    const margin = Math.min(Math.max((peak - floor) / 3, 3), 15)
    return { loudness: smoothed, quiet: smoothed < floor + margin }
  }

  #remember(level: number): void {
    const block = this.#blocks.at(-1)
    if (block === undefined || block.frames === BLOCK_FRAMES) {
      this.#blocks.push({ low: level, high: level, frames: 1 })
      if (this.#blocks.length > BLOCKS) this.#blocks.shift()
      return
    }
    block.low = Math.min(block.low, level)
    block.high = Math.max(block.high, level)
    block.frames += 1
  }
}
