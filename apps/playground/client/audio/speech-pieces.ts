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
  #chunks: Uint8Array[] = []
  // Counted in samples: sums of seconds are inexact.
  #length = 0
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
    const samples = samplesOf(pcm)
    this.#chunks.push(pcm)
    this.#length += samples
    this.#loudest = Math.max(this.#loudest, rms)
    const isQuiet = rms < Math.max(QUIET, this.#loudest * QUIET_SHARE)
    this.#silence = isQuiet ? this.#silence + samples : 0
    if (!isQuiet) this.#hasSpeech = true
    if (!this.#hasSpeech) this.#dropSilence()
    else if (this.#lasts(this.#silence, PAUSE_SECONDS) || this.#lasts(this.#length, MAX_SECONDS)) this.end()
  }

  /** Gives the piece that has begun: the recording ends. */
  end(): void {
    if (this.#hasSpeech) this.#onPiece(this.#chunks)
    this.#chunks = []
    this.#length = 0
    this.#silence = 0
    this.#hasSpeech = false
  }

  #lasts(samples: number, seconds: number): boolean {
    return samples >= Math.round(seconds * this.#sampleRate)
  }

  #dropSilence(): void {
    const lead = Math.round(LEAD_SECONDS * this.#sampleRate)
    while (this.#length > lead) this.#length -= samplesOf(this.#chunks.shift() ?? new Uint8Array(0))
  }
}

function samplesOf(pcm: Uint8Array): number {
  return pcm.byteLength / 2
}
