import { expect, test } from 'vitest'
import { clamp, quantile } from './statistics.ts'

test('a quantile has its share of the values below it', () => {
  const values = [5, 1, 4, 2, 3]
  expect(quantile(values, 0)).toBe(1)
  expect(quantile(values, 0.5)).toBe(3)
  expect(quantile(values, 1)).toBe(5)
  expect(quantile(values, 0.625)).toBe(3.5)
  expect(values).toEqual([5, 1, 4, 2, 3])
})

test('every quantile of one value is that value, and of no values NaN', () => {
  expect(quantile([7], 0.84)).toBe(7)
  expect(quantile([], 0.5)).toBeNaN()
})

test('clamp limits a value to its range', () => {
  expect([clamp(0, 1, 2), clamp(1.5, 1, 2), clamp(3, 1, 2)]).toEqual([1, 1.5, 2])
})
