import { expect, test } from 'vitest'
import { clamp, quantile } from './statistics.ts'

test('a quantile lies where so many values are below it', () => {
  const values = [5, 1, 4, 2, 3]
  expect(quantile(values, 0)).toBe(1)
  expect(quantile(values, 0.5)).toBe(3)
  expect(quantile(values, 1)).toBe(5)
  expect(quantile(values, 0.625)).toBe(3.5)
  expect(values).toEqual([5, 1, 4, 2, 3])
})

test('one value is every quantile, and no value has none', () => {
  expect(quantile([7], 0.84)).toBe(7)
  expect(quantile([], 0.5)).toBeNaN()
})

test('a value is kept within its limits', () => {
  expect([clamp(0, 1, 2), clamp(1.5, 1, 2), clamp(3, 1, 2)]).toEqual([1, 1.5, 2])
})
