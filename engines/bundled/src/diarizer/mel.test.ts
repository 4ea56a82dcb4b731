import { signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { expect, test } from 'vitest'
import { BANDS, MelMeter } from './mel.ts'

/** The bands of the middle of a signal. */
function measure(value: (second: number) => number): Float32Array {
  const mels = new MelMeter().measure(signal(0.2, value))
  return mels.subarray(10 * BANDS, 11 * BANDS)
}

test.each([
  // By the definition of Kaldi, in NumPy: the band, and the logarithm of its power for half the full scale.
  [440, 14, 4.41],
  [1000, 27, 6.26],
  [3000, 52, 8.45],
])('a tone of %d Hz is in band %d, with a logarithm of %d', (hertz, expected, power) => {
  const bands = measure((second) => 0.5 * sine(hertz, second))
  const most = Math.max(...bands)
  expect(bands.indexOf(most)).toBe(expected)
  expect(most).toBeCloseTo(power, 1)
})

test('half the level is a fourth of the power, and silence has a number', () => {
  const loud = Math.max(...measure((second) => 0.8 * sine(700, second)))
  expect(Math.max(...measure((second) => 0.4 * sine(700, second)))).toBeCloseTo(loud - Math.log(4), 3)
  expect([...new Set(measure(() => 0))]).toEqual([expect.closeTo(-23 * Math.LN2, 3)])
})

test('a frame is 10 ms, and a rest is left out', () => {
  expect(new MelMeter().measure(new Int16Array(1000))).toHaveLength(6 * BANDS)
  expect(new MelMeter().measure(new Int16Array(159))).toHaveLength(0)
})
