/** Samples that {@link periodicity} reads: 32 ms, two periods of the deepest voice. */
export const WINDOW_SAMPLES = 512

const HALF = WINDOW_SAMPLES / 2

/** Periods of human voices, 60 to 400 Hz, in samples at 8 kHz. */
const SHORTEST_PERIOD = 20
const LONGEST_PERIOD = 133

/** Removes most rumble: wind and traffic look periodic in such a short window. */
const PRE_EMPHASIS = 0.97

/**
 * Measures the repetition of a sound with the period of a human voice: near 1 in vowels, up to 0.3 in noise.
 * @param samples {@link WINDOW_SAMPLES} samples at 16 kHz.
 */
export function periodicity(samples: Int16Array): number {
  const signal = halve(samples)
  let best = 0
  for (let lag = SHORTEST_PERIOD; lag <= LONGEST_PERIOD; lag += 1) {
    best = Math.max(best, similarity(signal, lag))
  }
  return best
}

/** Pre-emphasizes and halves the rate: a fourth of the work, and no voice is lost. */
function halve(samples: Int16Array): Float64Array {
  const signal = new Float64Array(HALF)
  let before = samples[0] ?? 0
  for (let index = 0; index < HALF; index += 1) {
    const first = samples[2 * index] ?? 0
    const second = samples[2 * index + 1] ?? 0
    signal[index] = first - PRE_EMPHASIS * before + second - PRE_EMPHASIS * first
    before = second
  }
  return signal
}

/** Correlation of the signal with itself `lag` samples later, -1 to 1. */
function similarity(signal: Float64Array, lag: number): number {
  let product = 0
  let early = 0
  let late = 0
  for (let index = lag; index < HALF; index += 1) {
    const a = signal[index - lag] ?? 0
    const b = signal[index] ?? 0
    product += a * b
    early += a * a
    late += b * b
  }
  return product / Math.sqrt(early * late + 1)
}
