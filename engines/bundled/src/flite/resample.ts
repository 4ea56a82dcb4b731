/** Taps on each side of a sample: resonances stay clean, and a second of speech takes some milliseconds. */
const TAPS = 8

/**
 * Stretches samples by a factor: pitch and resonances sink by the same factor. Uses a windowed sinc. Removes
 * frequencies above half the sample rate first.
 * @param factor Length of the result relative to the original, 0.5 to 2.
 */
export function resample(samples: Int16Array, factor: number): Int16Array<ArrayBuffer> {
  const result = new Int16Array(Math.round(samples.length * factor))
  // A shorter result has room for fewer frequencies. Its taps reach over more of the original.
  const cutoff = Math.min(1, factor)
  const reach = TAPS / cutoff
  for (let index = 0; index < result.length; index += 1) {
    const center = index / factor
    let sum = 0
    for (let at = Math.max(0, Math.ceil(center - reach)); at <= center + reach && at < samples.length; at += 1) {
      const distance = at - center
      sum += (samples[at] ?? 0) * sinc(distance * cutoff) * cutoff * hann(distance / reach)
    }
    result[index] = Math.min(32_767, Math.max(-32_768, Math.round(sum)))
  }
  return result
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** A window from -1 to 1. */
function hann(x: number): number {
  return 0.5 + 0.5 * Math.cos(Math.PI * x)
}
