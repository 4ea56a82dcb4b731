import { type Diarization, DIARIZATION_SAMPLE_RATE, speakerLabel, type SpeakerSegment } from '@svc-audio/engine-ports'
import { loudness } from '../pcm/frames.ts'
import { findSpeech } from '../pcm/speech-gate.ts'
import { UtteranceSplitter, type Utterance } from '../pcm/utterance-splitter.ts'
import { findSpeakers } from './speakers.ts'
import { FRAME_SAMPLES, VoicePrinter, type VoicePrint } from './voice-print.ts'

/**
 * Shortest pause before another speaker, in seconds. People change turns in 0.2 s. Few sounds inside a word contain
 * such a long silence.
 */
const PAUSE_SECONDS = 0.15

/**
 * Longest part of a turn that is attributed to one speaker without a check, in samples. A voice print needs this much
 * sound.
 */
const PIECE_SAMPLES = 3 * DIARIZATION_SAMPLE_RATE

/** Pauses of one speaker up to this length belong to the segment, in seconds. */
const JOINED_SECONDS = 0.5

/** Sound this much below the loudest of a turn, in dB, is not speech. */
const SPEECH_DEPTH = 35

/** Margin before and after speech, in frames, because soft sounds hide in it. */
const MARGIN_FRAMES = 5

/** A stretch of speech without a pause, or a part of it. */
interface Piece {
  readonly startSample: number
  readonly endSample: number
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

/** Removes the silence at the edges. */
function trim(samples: Int16Array, start: number, end: number): { start: number; end: number } {
  const levels = Array.from({ length: Math.floor((end - start) / FRAME_SAMPLES) }, (_, index) =>
    loudness(samples.subarray(start + index * FRAME_SAMPLES, start + (index + 1) * FRAME_SAMPLES)),
  )
  const least = Math.max(...levels) - SPEECH_DEPTH
  const first = levels.findIndex((level) => level > least) - MARGIN_FRAMES
  const last = levels.findLastIndex((level) => level > least) + 1 + MARGIN_FRAMES
  return { start: start + Math.max(first, 0) * FRAME_SAMPLES, end: Math.min(start + last * FRAME_SAMPLES, end) }
}

/** Rounds to milliseconds, which removes binary rounding noise. */
function toSecond(sample: number): number {
  return Math.round((1000 * sample) / DIARIZATION_SAMPLE_RATE) / 1000
}
