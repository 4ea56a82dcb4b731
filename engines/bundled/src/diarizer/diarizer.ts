import { type Diarization, DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import {
  cutSpeech,
  findSpeech,
  joinPieces,
  type SpeechPiece,
  type Utterance,
  UtteranceSplitter,
} from '@svc-audio/engine-ports/listening'
import { pitchesOf } from './pitches.ts'
import { findSpeakers } from './speakers.ts'
import type { VoiceEncoder } from './voice-encoder.ts'
import { VoicePrinter, type VoicePrint } from './voice-print.ts'
import { findVoices, type Stretch } from './voices.ts'

/**
 * Shortest pause before another speaker, in seconds. People change turns in 0.2 s. Few sounds inside a word contain
 * such a long silence.
 */
const PAUSE_SECONDS = 0.15

/**
 * Length of the parts of a turn that are attributed one by one, in samples: see {@link cutSpeech}. A voice print needs this much
 * sound.
 */
const PIECE_SAMPLES = 3 * DIARIZATION_SAMPLE_RATE

/** A piece of speech and its speaker, from 0. */
interface Attributed extends SpeechPiece {
  readonly speaker: number
}

/** What tells the voices of one recording apart. */
interface VoiceMemory {
  /** Hears an utterance. @param speech The place of its speech, in samples from its start; `undefined` without speech */
  hear(utterance: Utterance, speech: SpeechPiece | undefined): Promise<void> | void
  /** Returns the speech with its speakers, after the last utterance. */
  attribute(): readonly Attributed[]
}

/**
 * Distinguishes the speakers of one recording of any length while its samples arrive. Finds the turns at once and
 * stores their voices: about 5 MB for an hour of speech with an encoder, 1 MB without. Assigns the speakers at the end.
 */
export class Diarizer {
  readonly #splitter = new UtteranceSplitter({ pauseSeconds: PAUSE_SECONDS })
  readonly #voices: VoiceMemory
  #samples = 0

  /** @param encoder Loads what encodes voices, at the first utterance. @default pitch and timbre are compared */
  constructor(encoder?: () => Promise<VoiceEncoder>) {
    this.#voices = encoder === undefined ? new PrintMemory() : new EncodedMemory(encoder)
  }

  /** Takes the next samples, 16 kHz. Call it again after its promise has resolved. */
  async push(samples: Int16Array): Promise<void> {
    this.#samples += samples.length
    for (const utterance of this.#splitter.push(samples)) await this.#hear(utterance)
  }

  /** Returns the segments with their speakers, after the last samples. */
  async end(): Promise<Diarization> {
    for (const utterance of this.#splitter.end()) await this.#hear(utterance)
    const pieces = this.#voices.attribute()
    return {
      segments: joinPieces(
        pieces,
        pieces.map(({ speaker }) => speaker),
      ),
      durationSeconds: this.#samples / DIARIZATION_SAMPLE_RATE,
    }
  }

  async #hear(utterance: Utterance): Promise<void> {
    const { samples } = utterance
    const span = findSpeech(samples)
    await this.#voices.hear(utterance, span && cutSpeech(samples, span, samples.length)[0])
  }
}

/** Tells voices apart by pitch and timbre. */
class PrintMemory implements VoiceMemory {
  readonly #printer = new VoicePrinter()
  readonly #pieces: (SpeechPiece & { readonly print: VoicePrint })[] = []

  hear({ startSample, samples }: Utterance, speech: SpeechPiece | undefined): void {
    if (speech === undefined) return
    const span = { start: speech.startSample, end: speech.endSample }
    for (const { startSample: start, endSample: end } of cutSpeech(samples, span, PIECE_SAMPLES)) {
      const print = this.#printer.take(samples.subarray(start, end))
      if (print !== undefined)
        this.#pieces.push({ startSample: startSample + start, endSample: startSample + end, print })
    }
  }

  attribute(): readonly Attributed[] {
    const speakers = findSpeakers(this.#pieces.map(({ print }) => print))
    return this.#pieces.map(({ startSample, endSample }, index) => ({
      startSample,
      endSample,
      speaker: speakers[index] ?? 0,
    }))
  }
}

/** Tells voices apart by an encoder. */
class EncodedMemory implements VoiceMemory {
  readonly #load: () => Promise<VoiceEncoder>
  readonly #stretches: Stretch[] = []
  #encoder: Promise<VoiceEncoder> | undefined

  constructor(load: () => Promise<VoiceEncoder>) {
    this.#load = load
  }

  async hear({ startSample, samples }: Utterance, speech: SpeechPiece | undefined): Promise<void> {
    // Silence alone needs no graph.
    if (speech === undefined) return
    this.#encoder ??= this.#load()
    const windows = await (await this.#encoder).encode(samples, speech)
    if (windows.length === 0) return
    const later = <Piece extends SpeechPiece>(pieces: readonly Piece[]): readonly Piece[] =>
      pieces.map((piece) => ({
        ...piece,
        startSample: startSample + piece.startSample,
        endSample: startSample + piece.endSample,
      }))
    this.#stretches.push({ windows: later(windows), pitches: later(pitchesOf(samples, speech)) })
  }

  attribute(): readonly Attributed[] {
    return findVoices(this.#stretches)
  }
}
