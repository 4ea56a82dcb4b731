import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'

/** PocketSphinx's unit of time, also used to judge sound: 10 ms. */
export const FRAMES_PER_SECOND = 100

/** Samples in one frame. */
export const FRAME_SAMPLES: number = RECOGNITION_SAMPLE_RATE / FRAMES_PER_SECOND

/**
 * Returns the loudness of samples, in dB over one quantization step: 0 for digital silence, about 87 for the loudest
 * sine. Ignores a constant offset, as cheap sound cards add it.
 */
export function loudness(samples: Int16Array): number {
  let sum = 0
  let squares = 0
  for (const sample of samples) {
    sum += sample
    squares += sample * sample
  }
  const mean = sum / samples.length
  return 10 * Math.log10(Math.max(squares / samples.length - mean * mean, 0) + 1)
}

/** Returns the value above `share` of the values; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** Standard deviation; 0 without values. */
export function deviation(values: readonly number[]): number {
  if (values.length === 0) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}
