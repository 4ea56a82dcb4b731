import { expect, test } from 'vitest'
import { type Levels, levelsOf, waveformPath } from './levels.ts'

/** Ten seconds: the first half loud, the second half silent. */
const LEVELS = levelsOf(
  Float32Array.from({ length: 1000 }, (_, index) => (index < 500 ? 0.8 : 0)),
  100,
)

interface Bar {
  readonly y: number
  /** With the round ends. */
  readonly height: number
}

/** Draws 200 to 72 pixels. @returns the bars from left to right */
function draw(levels: Levels | undefined = LEVELS, duration = 10): readonly Bar[] {
  const lines = [...waveformPath(levels, duration, 200, 72).matchAll(/M[\d.]+ ([\d.]+)v([\d.]+)/g)]
  return lines.map(([, y, length]) => ({ y: Number(y) - 1.5, height: Number(length) + 3 }))
}

test('is high where the audio is loud, and low where it is silent', () => {
  const heights = draw().map(({ height }) => height)
  expect(heights).toHaveLength(40)
  expect(Math.min(...heights.slice(0, 19))).toBe(72)
  expect(Math.max(...heights.slice(21))).toBeCloseTo(3, 0)
})

test('a waveform without levels is a flat line in the middle', () => {
  const bars = [...waveformPath(undefined, 0, 200, 72).matchAll(/M[\d.]+ ([\d.]+)v([\d.]+)/g)]
  expect(new Set(bars.map(([, y, length]) => `${y},${length}`))).toEqual(new Set(['36.0,0.1']))
})

test('a waveform scales quiet speech to the full height, but not noise', () => {
  const quiet = (size: number): number =>
    Math.max(...draw(levelsOf(new Float32Array(1000).fill(size), 100)).map(({ height }) => height))
  expect(quiet(0.1)).toBe(72)
  expect(quiet(0.01)).toBeLessThan(20)
})

test('a waveform takes as many bars for an hour as for a second', () => {
  expect(draw(LEVELS, 3600)).toHaveLength(draw(LEVELS, 1).length)
})
