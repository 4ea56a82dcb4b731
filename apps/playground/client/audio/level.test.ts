import { expect, test } from 'vitest'
import { LevelWindow } from './level.ts'

test('a full window gives the level and the peak, then starts again', () => {
  const window = new LevelWindow(4)
  expect(window.push(Float32Array.of(0.5, -0.5))).toBeUndefined()
  expect(window.push(Float32Array.of(0.5, -1))).toEqual({ rms: Math.sqrt(1.75 / 4), peak: 1 })
  expect(window.push(Float32Array.of(0, 0, 0, 0))).toEqual({ rms: 0, peak: 0 })
})
