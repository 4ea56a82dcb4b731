/*
 * What every pitch meter by the YIN method needs; which periods count and what is too different is each one's own.
 */

/**
 * How much a signal differs from itself some lags later, as a share of the mean over all shorter lags: near 0 at a
 * period, about 1 where nothing repeats itself, 1 for silence.
 * @param signal At least `compared` and `longest` samples together.
 * @param longest Longest lag.
 * @param compared Samples that are compared with those one lag later.
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

/** Where a valley lies between the values around a lag, by a parabola through them: -0.5 to 0.5. */
export function valleyOffset(values: Float64Array, lag: number): number {
  const [before, here, after] = [values[lag - 1] ?? 1, values[lag] ?? 1, values[lag + 1] ?? 1]
  const curve = before - 2 * here + after
  return curve <= 0 ? 0 : Math.min(0.5, Math.max(-0.5, (before - after) / (2 * curve)))
}
