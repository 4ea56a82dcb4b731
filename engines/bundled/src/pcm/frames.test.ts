import { describe, expect, test } from 'vitest'

import { deviation, loudness, percentile } from './frames.ts'
import { signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'

describe('loudness', () => {
  test('digital silence is 0 dB, the loudest sine 87', () => {
    expect(loudness(new Int16Array(160))).toBe(0)
    expect(loudness(signal(1, (second) => sine(100, second)))).toBeCloseTo(87.3, 1)
  })

  test('half the amplitude is 6 dB less', () => {
    const loud = loudness(signal(1, (second) => 0.8 * sine(100, second)))
    const soft = loudness(signal(1, (second) => 0.4 * sine(100, second)))
    expect(loud - soft).toBeCloseTo(6.02, 2)
  })

  test('a constant offset does not count', () => {
    expect(loudness(new Int16Array(160).fill(5000))).toBe(0)
  })
})

test('percentile returns the value at a share of the sorted values', () => {
  expect(percentile([5, 1, 3, 2, 4], 0.5)).toBe(3)
  expect(percentile([5, 1, 3, 2, 4], 1)).toBe(5)
  expect(percentile([], 0.5)).toBe(0)
})

test('deviation is the standard deviation', () => {
  expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2)
  expect(deviation([])).toBe(0)
})
