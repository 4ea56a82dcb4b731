import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import { FRAME_SAMPLES, FRAMES_PER_SECOND, loudness } from './frames.ts'
import { PauseDetector, type JudgedFrame } from './pause-detector.ts'

/** A stretch of the audio that the decoder recognizes in one call. */
export interface Utterance {
  /** Its start in the whole audio, in samples. */
  readonly startSample: number
  /** Its samples: 16 kHz, one channel. It owns the buffer, which may be transferred. */
  readonly samples: Int16Array<ArrayBuffer>
}

/** Options of {@link UtteranceSplitter}. */
export interface UtteranceSplitterOptions {
  /**
   * Longest utterance, in seconds. The decoder's memory grows with it: by up to 1 MB per second for one speaker, by three
   * for several simultaneous speakers.
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
