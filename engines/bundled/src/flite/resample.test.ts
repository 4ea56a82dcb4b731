import { describe, expect, test } from 'vitest'
import { resample } from './resample.ts'

const SECOND = 16_000

function tone(hertz: number, samples = SECOND, loud = 10_000): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) =>
    Math.round(loud * Math.sin((2 * Math.PI * hertz * index) / SECOND)),
  )
}

/** The strength of a frequency, relative to a tone of 10,000. */
function strength(samples: Int16Array, hertz: number): number {
  let real = 0
  let imaginary = 0
  for (const [index, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hertz * index) / SECOND)
    imaginary += sample * Math.sin((2 * Math.PI * hertz * index) / SECOND)
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length / 10_000
}

describe('resample', () => {
  test.each([0.78, 0.9, 1.05, 1.18, 2])(
    '%d times the length lowers the pitch by that factor and keeps the loudness',
    (factor) => {
      const result = resample(tone(1000), factor)
      expect(result).toHaveLength(Math.round(SECOND * factor))
      expect(strength(result, 1000 / factor)).toBeGreaterThan(0.97)
      expect(strength(result, 1000 / factor)).toBeLessThan(1.03)
      expect(strength(result, 1000)).toBeLessThan(0.05)
    },
  )

  test('a frequency above the new range does not fold back', () => {
    const result = resample(tone(7500), 0.78)
    // 7500 Hz would become 9615 Hz, and fold back to 6385 Hz.
    expect(strength(result, 16_000 - 7500 / 0.78)).toBeLessThan(0.02)
  })

  test('a longer result has no mirror image of the tone', () => {
    const result = resample(tone(6500), 1.18)
    expect(strength(result, 6500 / 1.18)).toBeGreaterThan(0.95)
    expect(strength(result, (16_000 - 6500) / 1.18)).toBeLessThan(0.02)
  })

  test('the factor 1 changes nothing', () => {
    const original = tone(440, 2000)
    const result = resample(original, 1)
    expect(Math.max(...original.map((sample, index) => Math.abs(sample - (result[index] ?? 0))))).toBeLessThanOrEqual(1)
  })

  test('loud sound is limited and does not overflow', () => {
    const square = Int16Array.from({ length: 4000 }, (_, index) =>
      Math.floor(index / 40) % 2 === 0 ? 32_767 : -32_768,
    )
    const result = resample(square, 0.9)
    const plateau = result.subarray(1000, 1000 + 20)
    expect(new Set(Array.from(plateau, Math.sign)).size).toBeLessThanOrEqual(2)
    expect(Math.max(...result)).toBe(32_767)
  })

  test('no samples give no samples', () => {
    expect(resample(new Int16Array(0), 0.8)).toHaveLength(0)
  })
})
