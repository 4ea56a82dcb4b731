import { describe, expect, test } from 'vitest'
import { barsOf, LevelTrack, levelsOf, LEVELS_PER_SECOND, viewOf } from './levels.ts'

const RATE = 1000

/** A second of words, 0.2 s each, with pauses of 0.05 s between them. */
function words(seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * RATE }, (_, at) =>
    at % 250 < 200 ? 0.5 + ((at % 1000) / 1000) * 0.4 : 0,
  )
}

test('a level is the loudest sample of its twentieth of a second', () => {
  const meter = new LevelTrack(RATE)
  meter.push(Float32Array.from({ length: RATE / LEVELS_PER_SECOND }, (_, at) => (at === 3 ? -0.75 : 0.1)))
  expect([meter.length, meter.at(0), meter.at(1)]).toEqual([1, 0.75, 0])
})

test('the pieces of a stream give the same levels as the whole', () => {
  const samples = words(3)
  const meter = new LevelTrack(RATE)
  for (let at = 0; at < samples.length; at += 37) meter.push(samples.subarray(at, at + 37))
  const whole = levelsOf(samples, RATE)
  expect(Array.from({ length: meter.length }, (_, at) => meter.at(at))).toEqual(
    Array.from({ length: whole.length }, (_, at) => whole.at(at)),
  )
  expect(meter.length).toBe(3 * LEVELS_PER_SECOND)
})

test('half an hour of levels is held', () => {
  const meter = new LevelTrack(LEVELS_PER_SECOND)
  meter.push(new Float32Array(1800 * LEVELS_PER_SECOND).fill(0.5))
  expect([meter.length, meter.at(35_999)]).toEqual([36_000, 0.5])
})

describe('the view', () => {
  test('the view of a short audio is all of it', () => {
    expect(viewOf(3, 12)).toEqual({ from: 0, to: 12 })
  })
  test('the view of a long audio is the page with the position', () => {
    expect(viewOf(100, 1800)).toEqual({ from: 90, to: 135 })
    expect(viewOf(1800, 1800)).toEqual({ from: 1755, to: 1800 })
  })
})

test('the bars of half an hour are no solid block: loud and quiet bars stand side by side', () => {
  const levels = levelsOf(words(1800), RATE)
  const bars = barsOf(levels, viewOf(900, 1800), 120)
  expect(Math.max(...bars) - Math.min(...bars)).toBeGreaterThan(0.15)
  expect(new Set(bars.map((bar) => bar.toFixed(2))).size).toBeGreaterThan(5)
})

test('bars after the end of the received audio are empty', () => {
  const levels = levelsOf(new Float32Array(RATE).fill(0.5), RATE)
  expect(barsOf(levels, { from: 0, to: 2 }, 4)).toEqual([0.5, 0.5, 0, 0])
})
