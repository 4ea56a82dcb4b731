import { describe, expect, test } from 'vitest'
import { normalizedDifferences, valleyOffset } from './pitch-meter.ts'

const sine = (period: number): Float64Array =>
  Float64Array.from({ length: 400 }, (_, index) => Math.sin((2 * Math.PI * index) / period))

describe('normalizedDifferences', () => {
  test('the minima are at the period and its multiples', () => {
    const differences = normalizedDifferences(sine(40), 100, 256)
    const min = differences.slice(20).reduce((best, value) => Math.min(best, value), 1)
    expect(differences[40]).toBeCloseTo(0, 10)
    expect(differences[80]).toBeCloseTo(0, 10)
    expect(min).toBeCloseTo(0, 10)
    expect(differences[20]).toBeGreaterThan(1.5)
  })

  test('silence is 1', () => {
    expect([...normalizedDifferences(new Float64Array(200), 50, 100)]).toEqual(Array(51).fill(1))
  })

  test('loudness has no effect', () => {
    const loud = sine(33).map((value) => 1000 * value)
    const [one, other] = [normalizedDifferences(sine(33), 60, 200), normalizedDifferences(loud, 60, 200)]
    for (const [lag, value] of one.entries()) expect(other[lag]).toBeCloseTo(value, 9)
  })
})

describe('valleyOffset', () => {
  test('it is the lowest point of a parabola', () => {
    const values = Float64Array.from([0, 1, 2, 3, 4], (lag) => (lag - 2.3) ** 2)
    expect(valleyOffset(values, 2)).toBeCloseTo(0.3, 10)
  })

  test('it is at most half a lag, and 0 without a valley', () => {
    expect(valleyOffset(Float64Array.of(9, 1, 0.9), 1)).toBe(0.5)
    expect(valleyOffset(Float64Array.of(0, 1, 0), 1)).toBe(0)
    expect(valleyOffset(Float64Array.of(1, 1, 1), 1)).toBe(0)
  })
})
