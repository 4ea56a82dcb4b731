/**
 * Replaces zeros by an inaudible noise of one quantization step. The aligner takes logarithms of the power in each band,
 * and digital silence breaks them. The noise is the same at each call, so the same audio always gives the same times.
 */
export function ditherSilence(samples: Int16Array): void {
  let state = 0x2545_f491
  for (let index = 0; index < samples.length; index += 1) {
    if (samples[index] !== 0) continue
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    samples[index] = (state & 1) === 0 ? -1 : 1
  }
}
