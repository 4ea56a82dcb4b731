import { expect, test } from 'vitest'
import { barsOf, LevelTrack, levelsOf, LEVELS_PER_SECOND } from './levels.ts'

const RATE = 1000

/** Words of 0.2 s, with pauses of 0.05 s between them. Each second is as loud as its voice happens to be. */
function words(seconds: number): Float32Array {
  const loudness = Float32Array.from({ length: seconds }, (_, second) => 0.4 + 0.5 * Math.abs(Math.sin(second * 12.99)))
  return Float32Array.from({ length: seconds * RATE }, (_, at) =>
    at % 250 < 200 ? (loudness[Math.floor(at / RATE)] ?? 0) : 0,
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

test('the bars of half an hour are no solid block: loud and quiet bars stand side by side', () => {
  const levels = levelsOf(words(1800), RATE)
  const bars = barsOf(levels, 1800, 120)
  expect(Math.max(...bars) - Math.min(...bars)).toBeGreaterThan(0.15)
  expect(new Set(bars.map((bar) => bar.toFixed(2))).size).toBeGreaterThan(5)
})

test('bars after the end of the received audio are empty', () => {
  const levels = levelsOf(new Float32Array(RATE).fill(0.5), RATE)
  expect(barsOf(levels, 2, 4)).toEqual([0.5, 0.5, 0, 0])
})
