import { ApiError, ConnectionError, InvalidRequestError, StreamTruncatedError } from '@svc-audio/core/pure'
import { expect, test } from 'vitest'
import { failureOf } from './calls.ts'

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

test('a mistake in the request names its field as the form does', () => {
  const error = new InvalidRequestError('invalid_range', 'speed', 'must be from 0.25 to 4')
  expect(failureOf(error)).toMatchObject({
    message: 'Speed must be from 0.25 to 4.',
    code: 'invalid_range',
    lost: false,
  })
})

test.each([
  ['url: must be a public address', 'Address must be a public address.'],
  ['input: this voice speaks English only', 'This voice speaks English only.'],
  ['segments[2].text: must not be empty', 'Segments must not be empty.'],
  ['Too long: 6,000 characters', 'Too long: 6,000 characters.'],
])('the refusal %j is shown as %j', (message, shown) => {
  const error = new ApiError(`POST /v1/audio/speech answered 400: ${message}`, { status: 400, code: 'x' })
  expect(failureOf(error).message).toBe(shown)
})

test('anything else is shown as it is', () => {
  expect(failureOf('broken').message).toBe('broken.')
  expect(failureOf(new Error('What?')).message).toBe('What?')
})
