import { expect, test } from 'vitest'
import { Envelope } from './envelope.ts'
import { LevelWindow } from './level.ts'

test('each window gives one level and resets', () => {
  const window = new LevelWindow(4)
  expect(window.push(Float32Array.of(0.5, -0.5))).toBeUndefined()
  expect(window.push(Float32Array.of(0.5, -0.5))).toEqual({ rms: 0.5, peak: 0.5 })
  expect(window.push(new Float32Array(4))).toEqual({ rms: 0, peak: 0 })
})

test('an envelope has the peak of each part, wherever the samples are split', () => {
  const samples = new Float32Array(1000)
  samples[10] = -0.5
  samples[990] = 0.25
  const whole = new Envelope(1000)
  whole.push(samples)
  const cut = new Envelope(1000)
  for (let at = 0; at < 1000; at += 37) cut.push(samples.subarray(at, at + 37))
  expect(whole.bars(4)).toEqual([0.5, 0, 0, 0.25])
  expect(cut.bars(4)).toEqual(whole.bars(4))
})

test('an envelope without audio is flat', () => {
  expect(new Envelope(16_000).bars(3)).toEqual([0, 0, 0])
})
