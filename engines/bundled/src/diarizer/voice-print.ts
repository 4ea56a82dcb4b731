import { DIARIZATION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import { loudness, percentile } from '../pcm/frames.ts'
import { pitchOf, PITCH_SAMPLES } from './pitch.ts'
import { TIMBRE_SIZE, TimbreMeter, WINDOW_SAMPLES } from './timbre.ts'

/** Samples from one frame to the next: 10 ms. */
export const FRAME_SAMPLES = 160

/** Pitch moves slowly and is costly to measure, so only every other frame is measured. */
const PITCH_EVERY = 2

/** Frames this much below the loudest, in dB, are ignored: they hold room noise and echo rather than voice. */
const JUDGED_DEPTH = 20

/** With this many pitches, a few wrong octaves do not move the median. */
const LEAST_PITCHES = 8

/** The sound of a voice in one piece of a recording. */
export interface VoicePrint {
  /** Seconds of sound behind the print. */
  readonly seconds: number
  /** Mean of each number of the timbre. */
  readonly timbre: Float64Array
  /** Variance of each number of the timbre. */
  readonly variance: Float64Array
  /** Logarithm of the median pitch: a semitone is the same step for all voices. Unknown in whispers and short calls. */
  readonly logPitch: number | undefined
}

/** Takes the prints of pieces of a recording. */
export class VoicePrinter {
  readonly #meter = new TimbreMeter()

  /** Takes the print of the loud part of these samples. Returns `undefined` when they are shorter than one window. */
  take(samples: Int16Array): VoicePrint | undefined {
    const windows = Array.from(
      { length: Math.ceil((samples.length - WINDOW_SAMPLES + 1) / FRAME_SAMPLES) },
      (_, index) => samples.subarray(index * FRAME_SAMPLES, index * FRAME_SAMPLES + PITCH_SAMPLES),
    )
    const levels = windows.map((window) => loudness(window.subarray(0, WINDOW_SAMPLES)))
    const min = percentile(levels, 0.95) - JUDGED_DEPTH
    const loud = windows.filter((_, index) => (levels[index] ?? 0) >= min)
    return loud.length === 0 ? undefined : this.#describe(loud)
  }

  #describe(windows: readonly Int16Array[]): VoicePrint {
    const timbre = new Float64Array(TIMBRE_SIZE)
    const variance = new Float64Array(TIMBRE_SIZE)
    for (const window of windows) {
      const numbers = this.#meter.measure(window)
      for (let index = 0; index < TIMBRE_SIZE; index += 1) {
        timbre[index] = (timbre[index] ?? 0) + (numbers[index] ?? 0) / windows.length
        variance[index] = (variance[index] ?? 0) + (numbers[index] ?? 0) ** 2 / windows.length
      }
    }
    // A pure tone has no variance, and the variance's logarithm is taken later.
    const spread = variance.map((square, index) => Math.max(square - (timbre[index] ?? 0) ** 2, 1e-6))
    return {
      seconds: (windows.length * FRAME_SAMPLES) / DIARIZATION_SAMPLE_RATE,
      timbre,
      variance: spread,
      logPitch: medianPitch(windows),
    }
  }
}

function medianPitch(windows: readonly Int16Array[]): number | undefined {
  const pitches: number[] = []
  for (let index = 0; index < windows.length; index += PITCH_EVERY) {
    const window = windows[index]
    const pitch = window?.length === PITCH_SAMPLES ? pitchOf(window) : undefined
    if (pitch !== undefined) pitches.push(pitch)
  }
  return pitches.length < LEAST_PITCHES ? undefined : Math.log(percentile(pitches, 0.5))
}
