import { expect, test } from 'vitest'
import { ApiError, ConnectionError, ProtocolError, StreamTruncatedError, TimeoutError } from '../errors.ts'
import { backoff, growingInterval, isPassing, milliseconds, spread } from './poll-pace.ts'

test.each([
  [1, 500],
  [2, 750],
  [3, 1125],
  [8, 8542.96875],
  [9, 10_000],
  [5000, 10_000],
])('after read %i the interval is %d ms', (reads, expected) => {
  expect(growingInterval(reads)).toBe(expected)
})

test.each([
  [1, 500],
  [2, 1000],
  [6, 16_000],
  [7, 30_000],
  [5000, 30_000],
])('after failure %i the delay is anything up to %i ms', (failures, max) => {
  expect(backoff(failures, 0)).toBe(0)
  expect(backoff(failures, 0.5)).toBe(max / 2)
  expect(backoff(failures, 1)).toBe(max)
})

test('jitter adds a fifth at most, and never more than 5 s; it takes nothing away', () => {
  expect(spread(1000, 0)).toBe(1000)
  expect(spread(1000, 0.5)).toBe(1100)
  expect(spread(1000, 1)).toBe(1200)
  expect(spread(3_600_000, 1)).toBe(3_605_000)
})

test.each([
  [2, 2000],
  [0.25, 250],
  [0, 0],
  [-1, 0],
  [Number.NaN, 0],
  [Infinity, 0],
  ['5', 0],
  [undefined, 0],
  [null, 0],
])('retry_after %j is %i ms', (seconds, expected) => {
  expect(milliseconds(seconds)).toBe(expected)
})

test.each([
  [new ApiError('m', { status: 408 }), true],
  [new ApiError('m', { status: 429 }), true],
  [new ApiError('m', { status: 500 }), true],
  [new ApiError('m', { status: 599 }), true],
  [new ConnectionError('m'), true],
  [new TimeoutError('headers', 'm'), true],
  [new StreamTruncatedError('m', { bytes: 1 }), true],
  [new ApiError('m', { status: 400 }), false],
  [new ApiError('m', { status: 401 }), false],
  [new ApiError('m', { status: 404 }), false],
  [new ApiError('m', { status: 409 }), true],
  [new ProtocolError('m'), false],
  [new TypeError('m'), false],
  [{ name: 'ConnectionError' }, false],
  [undefined, false],
])('%s passes: %s', (error, expected) => {
  expect(isPassing(error)).toBe(expected)
})
