import { ApiError, ConnectionError, InvalidRequestError, StreamTruncatedError } from '@svc-audio/core/pure'
import { expect, test } from 'vitest'
import { failureOf } from './failure.ts'

test("the service's own sentence is shown, without the call", () => {
  const error = new ApiError('POST /v1/audio/speech answered 400: `input` has no speakable text', {
    status: 400,
    code: 'unsupported_language',
    requestId: 'req-1',
  })
  expect(failureOf(error)).toEqual({
    message: '`input` has no speakable text.',
    code: 'unsupported_language',
    requestId: 'req-1',
    lost: false,
  })
})

test.each([
  ['a lost connection', new ConnectionError('POST http://a failed: x')],
  ['a cut stream', new StreamTruncatedError('cut', { bytes: 3 })],
  ['a service that is away', new ApiError('x answered 502: gone', { status: 502, code: 'service_unreachable' })],
])('%s is over when the service is back', (_case, error) => {
  expect(failureOf(error)).toMatchObject({ lost: true })
})

test('a mistake in the request names its field', () => {
  const error = new InvalidRequestError('invalid_range', 'speed', 'must be from 0.25 to 4')
  expect(failureOf(error)).toMatchObject({
    message: 'speed: must be from 0.25 to 4.',
    code: 'invalid_range',
    lost: false,
  })
})

test('anything else is shown as it is', () => {
  expect(failureOf('broken').message).toBe('broken.')
  expect(failureOf(new Error('What?')).message).toBe('What?')
})
