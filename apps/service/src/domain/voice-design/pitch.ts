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
  const differences = normalizedDifferences(halveRate(samples))
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

/** How much the signal differs from itself one lag later, as a share of the mean over all shorter lags. */
function normalizedDifferences(signal: Float64Array): Float64Array {
  const differences = new Float64Array(LONGEST_PERIOD + 1).fill(1)
  let sum = 0
  for (let lag = 1; lag <= LONGEST_PERIOD; lag += 1) {
    let difference = 0
    for (let index = 0; index < COMPARED; index += 1) {
      const change = (signal[index] ?? 0) - (signal[index + lag] ?? 0)
      difference += change * change
    }
    sum += difference
    if (sum > 0) differences[lag] = (difference * lag) / sum
  }
  return differences
}

/** Where the valley lies between the samples around a lag, by a parabola through them: -0.5 to 0.5. */
function valleyOffset(values: Float64Array, lag: number): number {
  const [before, here, after] = [values[lag - 1] ?? 1, values[lag] ?? 1, values[lag + 1] ?? 1]
  const curve = before - 2 * here + after
  return curve <= 0 ? 0 : Math.min(0.5, Math.max(-0.5, (before - after) / (2 * curve)))
}
