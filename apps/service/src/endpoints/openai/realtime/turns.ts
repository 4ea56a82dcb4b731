import { DETECTOR_FRAME_SAMPLES, RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'

/** When a turn of a speaker begins and ends: `turn_detection` of OpenAI. */
export interface TurnOptions {
  /** Probability of speech above which a turn begins, from 0 to 1. */
  readonly threshold: number
  /** Sound before the speech that belongs to the turn, in milliseconds. */
  readonly prefixPaddingMs: number
  /** Silence that ends the turn, in milliseconds. */
  readonly silenceDurationMs: number
}

/** Length of a frame, in milliseconds. */
const FRAME_MS = (1000 * DETECTOR_FRAME_SAMPLES) / RECOGNITION_SAMPLE_RATE

/** Speech continues at a lower probability than it begins with, as Silero's authors advise. */
const CONTINUES_BELOW = 0.15

/** Frames in a row that begin a turn: 0.1 s. A click has fewer. */
const LEAST_FRAMES = 3

/** Sound after the speech that belongs to the turn, in frames: 0.2 s. Soft consonants hide in it. */
const MARGIN_FRAMES = 6

/** Length of a turn, in frames, after which a shorter pause ends it, the shorter pause, and the longest turn: 15, 0.16, 30 s. */
const LONG_FRAMES = Math.round(15_000 / FRAME_MS)
const SHORT_PAUSE_FRAMES = 5
const MAX_FRAMES = Math.round(30_000 / FRAME_MS)

/** A change of the speaker's turn. Frames count from the first one of the detector. */
export type TurnChange =
  | { readonly type: 'started'; readonly frame: number }
  /** `continues`: the speaker made no pause, and the next turn begins at once. */
  | { readonly type: 'stopped'; readonly frame: number; readonly continues: boolean }

/** Finds the turns of a speaker in the probabilities of speech of consecutive frames. */
export class TurnDetector {
  readonly #options: TurnOptions
  readonly #pauseFrames: number
  readonly #paddingFrames: number
  #frame = 0
  /** Consecutive frames above the threshold, while nobody speaks. */
  #row = 0
  #start: number | undefined
  #lastSpoken = 0
  /** Probabilities of the turn, for a cut without a pause. */
  #speech: number[] = []

  constructor(options: TurnOptions) {
    this.#options = options
    this.#pauseFrames = Math.max(1, Math.round(options.silenceDurationMs / FRAME_MS))
    this.#paddingFrames = Math.ceil(options.prefixPaddingMs / FRAME_MS)
  }

  /** The first frame that a turn can still need. */
  get firstNeeded(): number {
    return this.#start ?? Math.max(0, this.#frame - this.#row - this.#paddingFrames)
  }

  /** Takes the probability of the next frame. Returns a change, if there is one. */
  push(probability: number): TurnChange | undefined {
    const frame = this.#frame
    this.#frame += 1
    if (this.#start === undefined) return this.#wait(frame, probability)
    this.#speech.push(probability)
    if (probability >= this.#options.threshold - CONTINUES_BELOW) this.#lastSpoken = frame
    const length = frame + 1 - this.#start
    const pause = length > LONG_FRAMES ? Math.min(SHORT_PAUSE_FRAMES, this.#pauseFrames) : this.#pauseFrames
    if (frame - this.#lastSpoken >= pause) {
      this.#start = undefined
      return { type: 'stopped', frame: Math.min(this.#lastSpoken + 1 + MARGIN_FRAMES, frame + 1), continues: false }
    }
    if (length < MAX_FRAMES) return undefined
    const cut = this.#leastLikely()
    this.#speech.splice(0, cut - this.#start)
    this.#start = cut
    return { type: 'stopped', frame: cut, continues: true }
  }

  #wait(frame: number, probability: number): TurnChange | undefined {
    this.#row = probability >= this.#options.threshold ? this.#row + 1 : 0
    if (this.#row < LEAST_FRAMES) return undefined
    this.#start = this.firstNeeded
    this.#lastSpoken = frame
    this.#speech = Array.from({ length: frame + 1 - this.#start }, () => probability)
    this.#row = 0
    return { type: 'started', frame: this.#start }
  }

  /** Returns the frame of the least likely speech in the second half of the turn. */
  #leastLikely(): number {
    const half = this.#speech.length >> 1
    let best = half
    for (let at = half; at < this.#speech.length - 1; at += 1) {
      if ((this.#speech[at] ?? 1) < (this.#speech[best] ?? 1)) best = at
    }
    return (this.#start ?? 0) + best
  }
}
