import type { Level } from './level.ts'

/** A silence of this length ends a piece, in seconds. */
const PAUSE_SECONDS = 0.6

/** Longest piece, in seconds: its text comes while the speaker still speaks. */
const MAX_SECONDS = 10

/** Silence that is stored before the first word of a piece, in seconds. */
const LEAD_SECONDS = 0.4

/** Root mean square of silence: absolute, and as a share of the loudest moment so far. */
const QUIET = 0.004
const QUIET_SHARE = 0.12

/** Cuts a recording at its pauses into pieces that can be recognized while the recording continues. */
export class SpeechPieces {
  readonly #sampleRate: number
  readonly #onPiece: (pcm: readonly Uint8Array[]) => void
  #chunks: { readonly pcm: Uint8Array; readonly seconds: number }[] = []
  #seconds = 0
  #silence = 0
  #loudest = 0
  #hasSpeech = false

  /** @param onPiece Called with the samples of each piece that has speech. */
  constructor(sampleRate: number, onPiece: (pcm: readonly Uint8Array[]) => void) {
    this.#sampleRate = sampleRate
    this.#onPiece = onPiece
  }

  /** Adds the next 16-bit samples, with their level. */
  push(pcm: Uint8Array, { rms }: Level): void {
    const seconds = pcm.byteLength / 2 / this.#sampleRate
    this.#chunks.push({ pcm, seconds })
    this.#seconds += seconds
    this.#loudest = Math.max(this.#loudest, rms)
    const isQuiet = rms < Math.max(QUIET, this.#loudest * QUIET_SHARE)
    this.#silence = isQuiet ? this.#silence + seconds : 0
    if (!isQuiet) this.#hasSpeech = true
    if (!this.#hasSpeech) this.#dropSilence()
    else if (this.#silence >= PAUSE_SECONDS || this.#seconds >= MAX_SECONDS) this.end()
  }

  /** Gives the piece that has begun: the recording ends. */
  end(): void {
    if (this.#hasSpeech) this.#onPiece(this.#chunks.map(({ pcm }) => pcm))
    this.#chunks = []
    this.#seconds = 0
    this.#silence = 0
    this.#hasSpeech = false
  }

  #dropSilence(): void {
    while (this.#seconds - (this.#chunks[0]?.seconds ?? 0) > LEAD_SECONDS) {
      this.#seconds -= this.#chunks.shift()?.seconds ?? 0
    }
  }
}
