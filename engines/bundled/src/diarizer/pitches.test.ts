import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { expect, test } from 'vitest'
import { pitchesOf } from './pitches.ts'

const tone = (hertz: number, seconds: number): Int16Array<ArrayBuffer> =>
  signal(seconds, (second) => 0.5 * sine(hertz, second))

test('pitches are measured in parts of 1.6 s from the first sample to the last, each at least half over the next', () => {
  const samples = joined([new Int16Array(1600), tone(150, 4), new Int16Array(1600)])
  const parts = pitchesOf(samples, { startSample: 1600, endSample: 65_600 })
  expect(parts).toHaveLength(4)
  expect(parts[0]?.startSample).toBe(1600)
  expect(parts.at(-1)?.endSample).toBe(65_600)
  for (const { startSample, endSample, logPitch } of parts) {
    expect(endSample - startSample).toBe(25_600)
    expect(Math.exp(logPitch)).toBeCloseTo(150, 0)
  }
})

test('a turn that rises has the pitch of each part', () => {
  const samples = joined([tone(120, 1.6), tone(190, 1.6)])
  const pitches = pitchesOf(samples, { startSample: 0, endSample: samples.length }).map(({ logPitch }) =>
    Math.round(Math.exp(logPitch)),
  )
  expect([pitches.at(0), pitches.at(-1)]).toEqual([120, 190])
})

test('a second has one part, and less than that none', () => {
  const samples = tone(150, 1)
  expect(pitchesOf(samples, { startSample: 0, endSample: 16_000 })).toMatchObject([
    { startSample: 0, endSample: 16_000 },
  ])
  expect(pitchesOf(samples, { startSample: 0, endSample: 15_999 })).toEqual([])
})

test('hiss and silence have no pitch', () => {
  const hiss = whiteNoise()
  for (const samples of [signal(2, () => 0.3 * hiss()), new Int16Array(32_000)])
    expect(pitchesOf(samples, { startSample: 0, endSample: samples.length })).toEqual([])
})
