import { normalizedDifferences, valleyOffset } from '../../domain/yin.ts'
import { DIARIZATION_SAMPLE_RATE } from '../../ports/diarization-engine.ts'

/** Pitch is measured at half the sample rate: a fourth of the work, and no voice is that high. */
const RATE = DIARIZATION_SAMPLE_RATE / 2

/** Periods of human voices, 400 to 60 Hz, in samples at {@link RATE}. */
const SHORTEST_PERIOD = 20
const LONGEST_PERIOD = 133

/** Samples at full rate over which the signal is averaged. */
const SMOOTHED = 16

/** Samples at {@link RATE} that are compared with those one period later. */
const COMPARED = 256

/** Samples at full rate that {@link measurePitch} looks at: 49 ms. */
export const PITCH_SAMPLES: number = 2 * (COMPARED + LONGEST_PERIOD)

/** A window whose best period leaves more than this share of the average difference has no pitch. */
const DIFFERENT = 0.35

/**
 * The first period that is so near to the best one is the right one: twice and three times the period fit as well, and
 * half of it fits nearly as well where the first overtone is strong.
 */
const NEARLY_BEST = 0.1

/**
 * The pitch of a voice in Hz by the YIN method, or `undefined` where the sound does not repeat itself.
 * @param samples {@link PITCH_SAMPLES} samples.
 */
export function measurePitch(samples: Int16Array): number | undefined {
  const signal = halveRate(samples)
  const differences = normalizedDifferences(signal, LONGEST_PERIOD, COMPARED)
  const best = differences.subarray(SHORTEST_PERIOD).reduce((least, value) => Math.min(least, value), 1)
  if (best > DIFFERENT) return undefined
  for (let lag = SHORTEST_PERIOD; lag < LONGEST_PERIOD; lag += 1) {
    const here = differences[lag] ?? 1
    if (here < best + NEARLY_BEST && here <= (differences[lag + 1] ?? 1))
      return RATE / (lag + valleyOffset(differences, lag))
  }
  return RATE / LONGEST_PERIOD
}

function halveRate(samples: Int16Array): Float64Array {
  const signal = new Float64Array(PITCH_SAMPLES / 2)
  let sum = 0
  for (let index = 0; index < signal.length; index += 1) {
    // a mean over a millisecond takes away most above 600 Hz, where hiss would hide the period of a deep voice
    sum += (samples[2 * index] ?? 0) + (samples[2 * index + 1] ?? 0)
    sum -= (samples[2 * index - SMOOTHED] ?? 0) + (samples[2 * index + 1 - SMOOTHED] ?? 0)
    signal[index] = sum
  }
  return signal
}
