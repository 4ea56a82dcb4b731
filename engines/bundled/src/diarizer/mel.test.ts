import { signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { expect, test } from 'vitest'
import { BANDS, MelMeter } from './mel.ts'

/** The bands of the middle of a signal. */
function measure(value: (second: number) => number): Float32Array {
  const mels = new MelMeter().measure(signal(0.2, value))
  return mels.subarray(10 * BANDS, 11 * BANDS)
}

test.each([
  // By librosa 0.11: melspectrogram(sr=16000, n_fft=400, hop_length=160, n_mels=40) of a sine of half the full scale.
  [440, 5],
  [1000, 13],
  [3000, 27],
])('a tone of %d Hz is in band %d', (hertz, expected) => {
  const bands = measure((second) => 0.5 * sine(hertz, second))
  expect(bands.indexOf(Math.max(...bands))).toBe(expected)
})

test('half the level is a fourth of the power, and silence has none', () => {
  const loud = Math.max(...measure((second) => 0.8 * sine(700, second)))
  expect(Math.max(...measure((second) => 0.4 * sine(700, second)))).toBeCloseTo(loud / 4, 3)
  expect(Math.max(...measure(() => 0))).toBe(0)
})

test('a frame is 10 ms, and a rest is left out', () => {
  expect(new MelMeter().measure(new Int16Array(1000))).toHaveLength(6 * BANDS)
  expect(new MelMeter().measure(new Int16Array(159))).toHaveLength(0)
})
