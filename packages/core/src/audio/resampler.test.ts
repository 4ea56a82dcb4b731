import { expect, test } from 'vitest'
import { Resampler } from './resampler.ts'

const sine = (rate: number, hertz: number, seconds: number): Float32Array =>
  Float32Array.from({ length: rate * seconds }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / rate))

/** Pushes pieces of odd sizes. */
function resample(from: number, to: number, samples: Float32Array, piece = 128): Float32Array {
  const resampler = new Resampler(from, to)
  const parts: number[] = []
  for (let at = 0; at < samples.length; at += piece) parts.push(...resampler.push(samples.subarray(at, at + piece)))
  return Float32Array.from(parts)
}

const rms = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

test.each([
  [48_000, 16_000],
  [44_100, 16_000],
  [16_000, 48_000],
  [16_000, 44_100],
  [22_050, 48_000],
  [96_000, 16_000],
])('a tone keeps its pitch and loudness from %i to %i Hz', (from, to) => {
  const output = resample(from, to, sine(from, 1000, 1))
  expect(Math.abs(output.length - to)).toBeLessThan(to / 100)
  const ideal = sine(to, 1000, 1)
  const middle = output.slice(to / 4, (3 * to) / 4)
  const difference = middle.map((sample, index) => sample - (ideal[index + Math.floor(to / 4)] ?? 0))
  expect(rms(difference)).toBeLessThan(0.01)
})

test('tones above the new band are silent: nothing folds back into speech', () => {
  const output = resample(48_000, 16_000, sine(48_000, 11_000, 1))
  expect(rms(output.slice(1000))).toBeLessThan(0.01)
})

test('the size of the pieces does not change the result', () => {
  const samples = sine(44_100, 440, 0.5)
  const whole = resample(44_100, 16_000, samples, samples.length)
  for (const piece of [1, 7, 128, 1000]) {
    const parts = resample(44_100, 16_000, samples, piece)
    expect(parts.length).toBe(whole.length)
    expect(Math.max(...parts.map((sample, index) => Math.abs(sample - (whole[index] ?? 0))))).toBeLessThan(1e-6)
  }
})
