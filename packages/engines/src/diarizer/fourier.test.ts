import { describe, expect, test } from 'vitest'

import { Random } from '@svc-audio/engine-fixtures/random.ts'
import { Fourier } from './fourier.ts'

/** The power by its definition. */
function slowPower(values: Float64Array): number[] {
  return Array.from({ length: values.length / 2 + 1 }, (_, bin) => {
    let real = 0
    let imaginary = 0
    for (const [index, value] of values.entries()) {
      real += value * Math.cos((2 * Math.PI * bin * index) / values.length)
      imaginary -= value * Math.sin((2 * Math.PI * bin * index) / values.length)
    }
    return real ** 2 + imaginary ** 2
  })
}

function power(values: Float64Array): Float64Array {
  const into = new Float64Array(values.length / 2 + 1)
  new Fourier(values.length).power(values, into)
  return into
}

describe('the fast transform', () => {
  test.each([2, 8, 64])('of %d values equals the definition', (size) => {
    const random = new Random(size)
    const values = Float64Array.from({ length: size }, () => random.between(-1, 1))
    const expected = slowPower(values)
    for (const [bin, value] of power(values).entries()) expect(value).toBeCloseTo(expected[bin] ?? 0, 9)
  })

  test('has a sine in one place', () => {
    const found = power(Float64Array.from({ length: 512 }, (_, index) => Math.sin((2 * Math.PI * 40 * index) / 512)))
    expect(found.indexOf(Math.max(...found))).toBe(40)
    expect(found[40]).toBeCloseTo(256 ** 2)
    expect(found[41]).toBeCloseTo(0)
  })

  test('can be reused', () => {
    const fourier = new Fourier(8)
    const into = new Float64Array(5)
    fourier.power(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8), into)
    fourier.power(Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0), into)
    for (const value of into) expect(value).toBeCloseTo(1)
  })
})
