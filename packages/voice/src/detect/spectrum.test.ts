import { expect, test } from 'vitest'
import { Spectrum } from './spectrum.ts'

/** The power by its definition, through the same window. */
function slowPowers(samples: Float32Array): number[] {
  const size = samples.length
  return Array.from({ length: size / 2 + 1 }, (_, bin) => {
    let [real, imaginary] = [0, 0]
    for (const [index, sample] of samples.entries()) {
      const seen = sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size))
      real += seen * Math.cos((2 * Math.PI * bin * index) / size)
      imaginary -= seen * Math.sin((2 * Math.PI * bin * index) / size)
    }
    return real ** 2 + imaginary ** 2
  })
}

test.each([2, 8, 64])('the spectrum of %d samples equals the definition, also when it is used again', (size) => {
  const spectrum = new Spectrum(size)
  const powers = new Float64Array(size / 2 + 1)
  for (const factor of [0.3, 1.7]) {
    const samples = Float32Array.from({ length: size }, (_, index) => Math.sin(index * index * factor))
    spectrum.measure(samples, powers)
    for (const [bin, power] of slowPowers(samples).entries()) expect(powers[bin]).toBeCloseTo(power, 9)
  }
})
