import { type Diarization, DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import {
  findSpeech,
  UtteranceSplitter,
  type Utterance,
  cutSpeech,
  joinPieces,
  type SpeechPiece,
} from '@svc-audio/engine-ports/listening'
import { findSpeakers } from './speakers.ts'
import { VoicePrinter, type VoicePrint } from './voice-print.ts'

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

/** A piece of speech and its voice. */
interface Piece extends SpeechPiece {
  readonly print: VoicePrint
}

/**
 * Distinguishes the speakers of one recording of any length while its samples arrive. Finds the turns at once and
 * stores their voice prints, about 1 MB for an hour of speech. Assigns the speakers at the end.
 */
export class Diarizer {
  readonly #splitter = new UtteranceSplitter({ pauseSeconds: PAUSE_SECONDS })
  readonly #printer = new VoicePrinter()
  readonly #pieces: Piece[] = []
  #samples = 0

  /** Takes the next samples, 16 kHz. */
  push(samples: Int16Array): void {
    this.#samples += samples.length
    for (const utterance of this.#splitter.push(samples)) this.#hear(utterance)
  }

  /** Returns the segments with their speakers, after the last samples. */
  end(): Diarization {
    for (const utterance of this.#splitter.end()) this.#hear(utterance)
    const speakers = findSpeakers(this.#pieces.map(({ print }) => print))
    return { segments: joinPieces(this.#pieces, speakers), durationSeconds: this.#samples / DIARIZATION_SAMPLE_RATE }
  }

  #hear({ startSample, samples }: Utterance): void {
    const span = findSpeech(samples)
    if (span === undefined) return
    for (const { startSample: start, endSample: end } of cutSpeech(samples, span, PIECE_SAMPLES)) {
      const print = this.#printer.take(samples.subarray(start, end))
      if (print !== undefined)
        this.#pieces.push({ startSample: startSample + start, endSample: startSample + end, print })
    }
  }
}
