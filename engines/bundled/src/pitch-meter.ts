/** Options of {@link measurePitch}. */
export interface PitchMeterOptions {
  /** Sample rate of the signal, in Hz. */
  readonly rate: number
  /** Shortest and longest period, in samples. */
  readonly shortest: number
  readonly longest: number
  /** Number of samples that are compared with the samples one period later. */
  readonly compared: number
  /** A signal whose best period leaves more than this share of the mean difference has no pitch. */
  readonly different: number
  /**
   * The first valley this close to the best one is the period. Two and three times the period fit as well. Half the
   * period fits nearly as well if the first overtone is strong.
   */
  readonly nearlyBest: number
}

/**
 * Measures the pitch of a short piece of sound in Hz, by the YIN method. Returns `undefined` if nothing repeats.
 * @param signal `compared` and `longest` samples together.
 */
export function measurePitch(signal: Float64Array, options: PitchMeterOptions): number | undefined {
  const { rate, shortest, longest, compared, different, nearlyBest } = options
  const differences = normalizedDifferences(signal, longest, compared)
  const best = differences.subarray(shortest).reduce((min, value) => Math.min(min, value), 1)
  if (best > different) return undefined
  for (let lag = shortest; lag < longest; lag += 1) {
    const here = differences[lag] ?? 1
    const inValley = here <= (differences[lag - 1] ?? 1) && here <= (differences[lag + 1] ?? 1)
    if (inValley && here <= best + nearlyBest) return rate / (lag + valleyOffset(differences, lag))
  }
  return undefined
}

/**
 * Measures how much a signal differs from itself at each lag, as a share of the mean over all shorter lags. The value
 * is near 0 at a period, about 1 if nothing repeats, and 1 for silence.
 * @param signal At least `compared` and `longest` samples together.
 * @param longest Longest lag.
 * @param compared Number of samples that are compared with the samples one lag later.
 * @returns A value for each lag from 0 to `longest`.
 */
export function normalizedDifferences(signal: Float64Array, longest: number, compared: number): Float64Array {
  const differences = new Float64Array(longest + 1).fill(1)
  let sum = 0
  for (let lag = 1; lag <= longest; lag += 1) {
    let difference = 0
    for (let index = 0; index < compared; index += 1) {
      const change = (signal[index] ?? 0) - (signal[index + lag] ?? 0)
      difference += change * change
    }
    sum += difference
    if (sum > 0) differences[lag] = (difference * lag) / sum
  }
  return differences
}

/** Returns the position of a valley relative to a lag, from -0.5 to 0.5, by a parabola through the values around it. */
export function valleyOffset(values: Float64Array, lag: number): number {
  const [before, here, after] = [values[lag - 1] ?? 1, values[lag] ?? 1, values[lag + 1] ?? 1]
  const curve = before - 2 * here + after
  return curve <= 0 ? 0 : Math.min(0.5, Math.max(-0.5, (before - after) / (2 * curve)))
}
