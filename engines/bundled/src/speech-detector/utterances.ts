import { DETECTOR_FRAME_SAMPLES, RECOGNITION_SAMPLE_RATE, type SpeechDetector } from '@svc-audio/engine-ports'
import type { Utterance } from '@svc-audio/engine-ports/listening'

/** Options of {@link UtteranceCutter}. */
export interface UtteranceCutterOptions {
  /** Longest utterance, in seconds. @default 25 */
  readonly maxSeconds?: number
  /** Longest first utterance, in seconds: the text of a long recording begins soon. @default 10 */
  readonly firstSeconds?: number
  /** Pause that ends an utterance, in seconds. The model understands a sentence better with those around it. @default 1.2 */
  readonly pauseSeconds?: number
}

const FRAMES_PER_SECOND = RECOGNITION_SAMPLE_RATE / DETECTOR_FRAME_SAMPLES

/** Speech begins above the first probability and continues above the second one, as Silero's authors advise. */
const BEGINS = 0.5
const CONTINUES = 0.35

/** Silence left before and after speech, in frames: 0.22 s. Soft consonants hide in it. */
const MARGIN_FRAMES = 7

/** Frames with speech in the shortest utterance: 0.1 s. A click has fewer. */
const LEAST_FRAMES = 3

/** Share of the longest utterance after which a shorter pause ends it, and the shorter pause in frames: 0.16 s. */
const LONG_SHARE = 0.6
const SHORT_PAUSE_FRAMES = 5

/**
 * Cuts the speech out of audio of any length, in utterances from pause to pause. A speaker who makes no pause is cut at
 * the least likely speech. Silence, noise and music are dropped. The cuts depend on the audio alone, not on the sizes of
 * the incoming pieces.
 */
export class UtteranceCutter {
  readonly #detector: SpeechDetector
  readonly #maxFrames: number
  readonly #firstFrames: number
  readonly #pauseFrames: number
  /** The samples from frame {@link UtteranceCutter.#first} on. */
  readonly #samples: Int16Array<ArrayBuffer>
  #length = 0
  /** The first frame that is still held, and the probability of speech in each frame from it on. */
  #first = 0
  #speech: number[] = []
  /** Frame of the utterance's start. */
  #start: number | undefined
  /** The last frame with speech. */
  #lastSpoken = 0
  /** End of the utterance before. The next one does not begin before it. */
  #lastEnd = 0

  constructor(
    detector: SpeechDetector,
    { maxSeconds = 25, firstSeconds = 10, pauseSeconds = 1.2 }: UtteranceCutterOptions = {},
  ) {
    this.#detector = detector
    this.#maxFrames = Math.floor(maxSeconds * FRAMES_PER_SECOND)
    this.#firstFrames = Math.min(this.#maxFrames, Math.floor(firstSeconds * FRAMES_PER_SECOND))
    this.#pauseFrames = Math.round(pauseSeconds * FRAMES_PER_SECOND)
    this.#samples = new Int16Array((this.#maxFrames + MARGIN_FRAMES + 2) * DETECTOR_FRAME_SAMPLES)
    detector.reset()
  }

  /** Yields the utterances that these samples complete. Read it to its end before the next call. */
  async *push(samples: Int16Array): AsyncGenerator<Utterance> {
    for (let at = 0; at < samples.length;) {
      const room = (this.#speech.length + 1) * DETECTOR_FRAME_SAMPLES - this.#length
      const part = samples.subarray(at, at + room)
      this.#samples.set(part, this.#length)
      this.#length += part.length
      at += part.length
      if (part.length < room) return
      const frame = this.#samples.subarray(this.#length - DETECTOR_FRAME_SAMPLES, this.#length)
      const end = this.#take(await this.#detector.judge(frame))
      if (end === undefined) continue
      const utterance = this.#cut(end)
      if (utterance !== undefined) yield utterance
    }
  }

  /** Returns the rest of the speech, if any. */
  end(): Utterance | undefined {
    return this.#start === undefined ? undefined : this.#cut(this.#first + this.#speech.length)
  }

  /** Takes the probability of the next frame. Returns the frame to cut before, if the utterance ends. */
  #take(probability: number): number | undefined {
    const frame = this.#first + this.#speech.length
    this.#speech.push(probability)
    if (this.#start === undefined) {
      if (probability < BEGINS) {
        this.#drop(Math.max(this.#lastEnd, frame + 1 - MARGIN_FRAMES))
        return undefined
      }
      this.#start = this.#first
      this.#lastSpoken = frame
      return undefined
    }
    if (probability >= CONTINUES) this.#lastSpoken = frame
    const longest = this.#lastEnd === 0 ? this.#firstFrames : this.#maxFrames
    const length = frame + 1 - this.#start
    const pause = length > LONG_SHARE * longest ? SHORT_PAUSE_FRAMES : this.#pauseFrames
    const silence = frame - this.#lastSpoken
    if (silence >= pause) return Math.min(this.#lastSpoken + 1 + MARGIN_FRAMES, frame + 1)
    return length < longest ? undefined : this.#leastLikely()
  }

  /** Returns the frame in the middle of the least likely speech of the second half. */
  #leastLikely(): number {
    const half = this.#speech.length >> 1
    let best = half
    let least = Infinity
    for (let at = half; at < this.#speech.length - 1; at += 1) {
      const near = this.#speech.slice(at - 1, at + 2).reduce((sum, value) => sum + value, 0)
      if (near >= least) continue
      least = near
      best = at
    }
    return this.#first + best
  }

  /** Ends the utterance before a frame. Returns it if it has speech. */
  #cut(end: number): Utterance | undefined {
    const start = this.#start ?? end
    const length = Math.min((end - this.#first) * DETECTOR_FRAME_SAMPLES, this.#length)
    const spoken = this.#speech.slice(0, end - this.#first).filter((probability) => probability >= BEGINS).length
    const utterance = {
      startSample: start * DETECTOR_FRAME_SAMPLES,
      samples: this.#samples.slice((start - this.#first) * DETECTOR_FRAME_SAMPLES, length),
    }
    this.#lastEnd = end
    this.#drop(end)
    // A cut without a pause: the rest belongs to the next utterance.
    this.#start = this.#lastSpoken >= end ? end : undefined
    return spoken < LEAST_FRAMES ? undefined : utterance
  }

  /** Drops the samples before a frame. */
  #drop(frame: number): void {
    const frames = Math.min(frame - this.#first, this.#speech.length)
    if (frames <= 0) return
    this.#samples.copyWithin(0, frames * DETECTOR_FRAME_SAMPLES, this.#length)
    this.#length -= Math.min(frames * DETECTOR_FRAME_SAMPLES, this.#length)
    this.#speech = this.#speech.slice(frames)
    this.#first += frames
  }
}
