import { describe, expect, test } from 'vitest'
import {
  ApiError,
  ConnectionError,
  InvalidRequestError,
  NotReplayableError,
  ProtocolError,
  StreamTruncatedError,
  TimeoutError,
} from '../errors.ts'
import { mayRepeat, retryDelay } from './retry.ts'

const CONTEXT = { retries: 0, maxRetries: 2, repeatable: false, random: () => 1 }

const status = (code: number): ApiError => new ApiError('m', { status: code })

describe('billable calls are retried only if they cannot have started', () => {
  test.each([
    ['429', status(429)],
    ['503', status(503)],
    ['no connection', new ConnectionError('m', { maybeSent: false })],
    ['no connection in time', new TimeoutError('connect', 'm')],
  ])('%s', (_, error) => {
    expect(retryDelay(error, CONTEXT)).toBeTypeOf('number')
  })

  // #region never-after
  test.each([
    ['400', status(400)],
    ['401', status(401)],
    ['404', status(404)],
    ['408', status(408)],
    // #endregion
    ['409', status(409)],
    ['500', status(500)],
    ['502', status(502)],
    ['504', status(504)],
    ['a lost connection', new ConnectionError('m')],
    ['no headers in time', new TimeoutError('headers', 'm')],
    ['no bytes in time', new TimeoutError('idle', 'm')],
    ['no events in time', new TimeoutError('events', 'm')],
    ['a cut response', new StreamTruncatedError('m', { bytes: 1 })],
  ])('never after %s', (_, error) => {
    expect(retryDelay(error, CONTEXT)).toBeUndefined()
  })
})

test.each([
  status(408),
  status(429),
  status(500),
  status(502),
  status(503),
  status(504),
  new ConnectionError('m'),
  new TimeoutError('headers', 'm'),
])('calls that only read are retried after %s too', (error) => {
  expect(retryDelay(error, { ...CONTEXT, repeatable: true })).toBeTypeOf('number')
})

test.each([
  status(400),
  status(404),
  status(409),
  status(302),
  new TimeoutError('total', 'm'),
  new InvalidRequestError('c', 'p', 'm'),
  new NotReplayableError('m'),
  new ProtocolError('m'),
  new Error('the caller’s own'),
  undefined,
])('no call is retried after %s', (error) => {
  expect(retryDelay(error, { ...CONTEXT, repeatable: true })).toBeUndefined()
})

test.each(['idempotency_conflict', 'idempotency_in_progress'])('409 %s is not retried', (code) => {
  const error = new ApiError('m', { status: 409, code, retryAfter: 1 })
  for (const repeatable of [false, true]) expect(retryDelay(error, { ...CONTEXT, repeatable })).toBeUndefined()
})

test.each([
  [{ name: 'ApiError', status: 503 }, true],
  [{ name: 'ApiError', status: 502 }, false],
  [{ name: 'ConnectionError', maybeSent: false }, true],
  [{ name: 'ConnectionError', maybeSent: true }, false],
  [{ name: 'TimeoutError', phase: 'connect' }, true],
  [{ name: 'TimeoutError', phase: 'headers' }, false],
])('an error %o of a second copy of this package is understood', (fields, expected) => {
  const copy = Object.assign(new Error('m'), fields, { [Symbol.for('svc-audio.error')]: true })
  expect(mayRepeat(copy)).toBe(expected)
})

test('the delay is random, and its bound doubles up to eight seconds', () => {
  const bounds = [0, 1, 2, 3, 4, 5, 6].map((retries) =>
    retryDelay(status(503), { ...CONTEXT, retries, maxRetries: 10 }),
  )
  expect(bounds).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
  expect(retryDelay(status(503), { ...CONTEXT, random: () => 0 })).toBe(0)
  expect(retryDelay(status(503), { ...CONTEXT, random: () => 0.5 })).toBe(250)
})

test('Retry-After applies, however long, and the delay is never shorter', () => {
  const hour = new ApiError('m', { status: 429, retryAfter: 3600 })
  expect(retryDelay(hour, { ...CONTEXT, random: () => 0 })).toBe(3_600_000)
  expect(retryDelay(hour, CONTEXT)).toBe(3_600_500)
  expect(retryDelay(new ApiError('m', { status: 503, retryAfter: 0 }), { ...CONTEXT, random: () => 0 })).toBe(0)
})

test('the retries are limited', () => {
  expect(retryDelay(status(503), { ...CONTEXT, retries: 2 })).toBeUndefined()
  expect(retryDelay(status(503), { ...CONTEXT, maxRetries: 0 })).toBeUndefined()
})
