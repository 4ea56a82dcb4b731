import { DIARIZATION_SAMPLE_RATE, speakerLabel, type SpeakerSegment } from '@svc-audio/engine-ports'
import { loudness } from '../pcm/frames.ts'
import type { SpeechSpan } from '../pcm/speech-gate.ts'
import { FRAME_SAMPLES } from './voice-print.ts'

/** Pauses of one speaker up to this length belong to the segment, in seconds. */
const JOINED_SECONDS = 0.5

/** Sound this much below the loudest of a turn, in dB, is not speech. */
const SPEECH_DEPTH = 35

/** Margin before and after speech, in frames, because soft sounds hide in it. */
const MARGIN_FRAMES = 5

/** A stretch of speech without a pause, or a part of it, in samples. */
export interface SpeechPiece {
  /** Its first sample. */
  readonly startSample: number
  /** The sample behind its last one. */
  readonly endSample: number
}

/**
 * Cuts a span of speech into equal pieces, without the silence at its edges.
 * @param usual Length to come near to, in samples. No piece is longer than one and a half of it.
 */
export function cutSpeech(samples: Int16Array, span: SpeechSpan, usual: number): SpeechPiece[] {
  const { start, end } = trim(samples, span.start, span.end)
  const count = Math.max(Math.round((end - start) / usual), 1)
  const length = Math.ceil((end - start) / count)
  return Array.from({ length: count }, (_, index) => start + index * length)
    .filter((at) => at < end)
    .map((at) => ({ startSample: at, endSample: Math.min(at + length, end) }))
}

/** Joins pieces to segments. @param speakers The speaker of each piece, from 0. */
export function joinPieces(pieces: readonly SpeechPiece[], speakers: readonly number[]): SpeakerSegment[] {
  const segments: SpeakerSegment[] = []
  for (const [index, { startSample, endSample }] of pieces.entries()) {
    const speaker = speakerLabel(speakers[index] ?? 0)
    const [startSecond, endSecond] = [toSecond(startSample), toSecond(endSample)]
    const last = segments.at(-1)
    if (last?.speaker === speaker && startSecond - last.endSecond <= JOINED_SECONDS)
      segments.splice(-1, 1, { ...last, endSecond })
    else segments.push({ startSecond, endSecond, speaker })
  }
  return segments
}

/** Removes the silence at the edges. */
function trim(samples: Int16Array, start: number, end: number): { start: number; end: number } {
  const levels = Array.from({ length: Math.floor((end - start) / FRAME_SAMPLES) }, (_, index) =>
    loudness(samples.subarray(start + index * FRAME_SAMPLES, start + (index + 1) * FRAME_SAMPLES)),
  )
  const min = Math.max(...levels) - SPEECH_DEPTH
  const first = levels.findIndex((level) => level > min) - MARGIN_FRAMES
  const last = levels.findLastIndex((level) => level > min) + 1 + MARGIN_FRAMES
  return { start: start + Math.max(first, 0) * FRAME_SAMPLES, end: Math.min(start + last * FRAME_SAMPLES, end) }
}

/** Rounds to milliseconds, which removes binary rounding noise. */
function toSecond(sample: number): number {
  return Math.round((1000 * sample) / DIARIZATION_SAMPLE_RATE) / 1000
}
