import { DIARIZATION_SAMPLE_RATE, type Diarization, type SpeakerSegment } from '../../../ports/diarization-engine.ts'
import { loudness } from '../pcm/frames.ts'
import { findSpeech } from '../pcm/speech-gate.ts'
import { UtteranceSplitter, type Utterance } from '../pcm/utterance-splitter.ts'
import { speakerLabel } from '../../../domain/speaker-label.ts'
import { findSpeakers } from './speakers.ts'
import { FRAME_SAMPLES, VoicePrinter, type VoicePrint } from './voice-print.ts'

/**
 * A pause from which on somebody else may speak, in seconds: people change turns in 0.2 s, and few sounds inside a word
 * have as long a silence.
 */
const PAUSE_SECONDS = 0.15

/** Longest part of a turn that is taken for one speaker unseen, in samples: so much is needed to know a voice. */
const PIECE_SAMPLES = 3 * DIARIZATION_SAMPLE_RATE

/** Pauses of one speaker up to this length are part of what is said, in seconds. */
const JOINED_SECONDS = 0.5

/** What is this much below the loudest of a turn, in dB, is not speech any more. */
const SPEECH_DEPTH = 35

/** Left before and after speech, in frames, since soft sounds hide in it. */
const MARGIN_FRAMES = 5

/** A stretch of speech without a pause, or a part of it. */
interface Piece {
  readonly startSample: number
  readonly endSample: number
  readonly print: VoicePrint
}

/**
 * Tells the speakers of one recording of any length apart, as its samples come. Where somebody speaks is found at once
 * and what the voice sounds like is stored, about 1 MB for an hour of speech; who is who turns out at the end.
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

  /** Who spoke when, after the last samples. */
  end(): Diarization {
    for (const utterance of this.#splitter.end()) this.#hear(utterance)
    const speakers = findSpeakers(this.#pieces.map(({ print }) => print))
    const segments: SpeakerSegment[] = []
    for (const [index, { startSample, endSample }] of this.#pieces.entries()) {
      const speaker = speakerLabel(speakers[index] ?? 0)
      const [startSecond, endSecond] = [toSecond(startSample), toSecond(endSample)]
      const last = segments.at(-1)
      if (last?.speaker === speaker && startSecond - last.endSecond <= JOINED_SECONDS)
        segments.splice(-1, 1, { ...last, endSecond })
      else segments.push({ startSecond, endSecond, speaker })
    }
    return { segments, durationSeconds: this.#samples / DIARIZATION_SAMPLE_RATE }
  }

  #hear({ startSample, samples }: Utterance): void {
    const span = findSpeech(samples)
    if (span === undefined) return
    const { start, end } = trim(samples, span.start, span.end)
    const count = Math.max(Math.round((end - start) / PIECE_SAMPLES), 1)
    const length = Math.ceil((end - start) / count)
    for (let at = start; at < end; at += length) {
      const to = Math.min(at + length, end)
      const print = this.#printer.take(samples.subarray(at, to))
      if (print !== undefined) this.#pieces.push({ startSample: startSample + at, endSample: startSample + to, print })
    }
  }
}

/** Leaves the silence at the edges away. */
function trim(samples: Int16Array, start: number, end: number): { start: number; end: number } {
  const levels = Array.from({ length: Math.floor((end - start) / FRAME_SAMPLES) }, (_, index) =>
    loudness(samples.subarray(start + index * FRAME_SAMPLES, start + (index + 1) * FRAME_SAMPLES)),
  )
  const least = Math.max(...levels) - SPEECH_DEPTH
  const first = levels.findIndex((level) => level > least) - MARGIN_FRAMES
  const last = levels.findLastIndex((level) => level > least) + 1 + MARGIN_FRAMES
  return { start: start + Math.max(first, 0) * FRAME_SAMPLES, end: Math.min(start + last * FRAME_SAMPLES, end) }
}

/** To the millisecond: more would be dust of binary fractions. */
function toSecond(sample: number): number {
  return Math.round((1000 * sample) / DIARIZATION_SAMPLE_RATE) / 1000
}
