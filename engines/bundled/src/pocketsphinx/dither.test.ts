import { expect, test } from 'vitest'

import { ditherSilence } from './dither.ts'

test('zeros become plus or minus one, in about equal numbers, and nothing else changes', () => {
  const samples = new Int16Array(10_000)
  samples[5] = 1234
  ditherSilence(samples)
  expect(samples[5]).toBe(1234)
  const rest = samples.filter((_, index) => index !== 5)
  expect(rest.every((sample) => Math.abs(sample) === 1)).toBe(true)
  expect(Math.abs(rest.reduce((sum, sample) => sum + sample, 0))).toBeLessThan(500)
})

test('the noise is the same at each call', () => {
  const [one, other] = [new Int16Array(1000), new Int16Array(1000)]
  ditherSilence(one)
  ditherSilence(other)
  expect(one).toEqual(other)
})
