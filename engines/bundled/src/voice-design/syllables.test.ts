import { describe, expect, test } from 'vitest'
import { speechFloor, syllableRate, toDecibels } from './syllables.ts'

/** Loudness of bursts, in energies of 10 ms. */
function bursts(perSecond: number, seconds: number): number[] {
  return Array.from({ length: seconds * 100 }, (_, index) => {
    const wave = 0.5 - 0.5 * Math.cos((2 * Math.PI * perSecond * index) / 100)
    return 1_000_000 * (0.02 + wave)
  })
}

/** Returns `count` equal values. */
const level = (length: number, value: number): number[] => Array.from({ length }, () => value)

const rateOf = (energies: readonly number[], voiced = energies.map(() => true)): number =>
  syllableRate({ energies, voiced })

describe('syllableRate', () => {
  test('3.9 peaks a second are 4.6 syllables, as measured', () => {
    expect(rateOf(bursts(3.9, 20))).toBeGreaterThan(4.4)
    expect(rateOf(bursts(3.9, 20))).toBeLessThan(4.8)
  })

  test('syllables grow faster than peaks', () => {
    const [slow, middle, fast] = [rateOf(bursts(3, 20)), rateOf(bursts(4, 20)), rateOf(bursts(6, 20))]
    expect(middle / slow).toBeGreaterThan(4 / 3)
    expect(fast / middle).toBeGreaterThan(6 / 4)
  })

  test('long pauses do not count', () => {
    const silence = level(300, 0)
    const paused = [...bursts(4, 6), ...silence, ...bursts(4, 6), ...silence]
    expect(rateOf(paused) / rateOf(bursts(4, 12))).toBeGreaterThan(0.93)
    expect(rateOf(paused) / rateOf(bursts(4, 12))).toBeLessThan(1.07)
  })

  test('peaks without a pitch are no syllables', () => {
    const energies = bursts(4, 10)
    expect(
      rateOf(
        energies,
        energies.map(() => false),
      ),
    ).toBe(0)
    const half = rateOf(
      energies,
      energies.map((_, index) => index < 500),
    )
    expect(half).toBeLessThan(rateOf(energies) * 0.45)
  })

  test('quiet peaks in a pause are no syllables', () => {
    const quiet = bursts(4, 3).map((energy) => energy / 10_000)
    expect(rateOf([...bursts(4, 6), ...quiet])).toBeCloseTo(rateOf([...bursts(4, 6), ...level(300, 0)]), 1)
  })

  test('overall loudness has no effect', () => {
    const energies = bursts(5, 10)
    expect(rateOf(energies.map((energy) => energy / 50))).toBeCloseTo(rateOf(energies), 1)
  })

  test('silence has no rate', () => {
    expect(rateOf([])).toBeNaN()
  })
})

test('in decibels, silence is 0 and tenfold energy adds 10', () => {
  expect(toDecibels(0)).toBe(0)
  expect(toDecibels(1e6) - toDecibels(1e5)).toBeCloseTo(10, 3)
})

test('the floor of speech is 25 dB under its loud parts', () => {
  expect(speechFloor([...level(50, 10), ...level(50, 70)])).toBe(45)
})
