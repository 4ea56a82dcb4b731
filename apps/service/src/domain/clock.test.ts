import { expect, test } from 'vitest'
import { createWallClock } from './clock.ts'

const MINUTE = 60_000
const START = 1_800_000_000_000

function clocks() {
  const time = { wall: START, steady: 5 }
  const now = createWallClock({ wall: () => time.wall, steady: () => time.steady })
  const pass = (milliseconds: number): number => {
    time.wall += milliseconds
    time.steady += milliseconds
    return now()
  }
  return { time, pass }
}

test('the time is the wall clock while nothing steps', () => {
  const { pass } = clocks()
  expect(pass(0)).toBe(START)
  expect(pass(10 * MINUTE)).toBe(START + 10 * MINUTE)
})

test('a clock set back does not set the time back', () => {
  const { time, pass } = clocks()
  time.wall -= 60 * MINUTE
  expect(pass(1000)).toBe(START + 1000)
  expect(pass(20 * MINUTE)).toBe(START + 1000 + 20 * MINUTE)
})

test('a clock set forward and back within five minutes changes nothing', () => {
  const { time, pass } = clocks()
  time.wall += 30 * 24 * 60 * MINUTE
  expect(pass(1000)).toBe(START + 1000)
  expect(pass(4 * MINUTE)).toBe(START + 1000 + 4 * MINUTE)
  time.wall -= 30 * 24 * 60 * MINUTE
  expect(pass(10 * MINUTE)).toBe(START + 1000 + 14 * MINUTE)
})

test('a clock set forward counts after five minutes', () => {
  const { time, pass } = clocks()
  time.wall += 60 * MINUTE
  pass(1000)
  pass(5 * MINUTE)
  expect(pass(0)).toBe(time.wall)
  expect(pass(1000)).toBe(time.wall)
})
