import { normalizedDifferences, valleyOffset } from '../yin.ts'

/** Sample rate of everything that is measured here, in Hz: what every file is decoded to. */
export const SAMPLE_RATE = 16_000

/** Pitch is sought at half that rate: a fourth of the work, and no voice is that high. */
const RATE = SAMPLE_RATE / 2

/** Periods of voices, 500 to 55 Hz, in samples at {@link RATE}. */
const SHORTEST_PERIOD = 16
const LONGEST_PERIOD = 145

/** Samples at {@link RATE} that are compared with those one period later. */
const COMPARED = 256

/** Samples that {@link measurePitch} looks at: 50 ms. */
export const PITCH_SAMPLES: number = 2 * (COMPARED + LONGEST_PERIOD)

/** Where even the best period leaves more than this share of the average difference, the sound has no pitch. */
const UNVOICED = 0.2

/** Twice and three times the period fit as well as it does: the first that fits nearly as well as the best is the one. */
const NEARLY_BEST = 0.08

/**
 * The pitch of a short piece of sound in Hz, by the YIN method, or `undefined` where nothing repeats itself.
 * @param samples {@link PITCH_SAMPLES} samples.
 */
export function measurePitch(samples: Int16Array): number | undefined {
  const differences = normalizedDifferences(halveRate(samples), LONGEST_PERIOD, COMPARED)
  let best = 1
  for (let lag = SHORTEST_PERIOD; lag <= LONGEST_PERIOD; lag += 1) best = Math.min(best, differences[lag] ?? 1)
  if (best > UNVOICED) return undefined
  for (let lag = SHORTEST_PERIOD; lag < LONGEST_PERIOD; lag += 1) {
    const here = differences[lag] ?? 1
    const inValley = here <= (differences[lag - 1] ?? 1) && here <= (differences[lag + 1] ?? 1)
    if (inValley && here <= best + NEARLY_BEST) return RATE / (lag + valleyOffset(differences, lag))
  }
  return undefined
}

/** Each sample the mean of two, which also takes away hiss that would hide a period. */
function halveRate(samples: Int16Array): Float64Array {
  const signal = new Float64Array(PITCH_SAMPLES / 2)
  for (let index = 0; index < signal.length; index += 1) {
    signal[index] = (samples[2 * index] ?? 0) + (samples[2 * index + 1] ?? 0)
  }
  return signal
}
