import { expect, test } from 'vitest'
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  NotReplayableError,
  ProtocolError,
  StreamTruncatedError,
  TaskTimeoutError,
  TimeoutError,
} from './errors.ts'
import { gatewayResponse } from './gateway.ts'

const SECRET = 'text of the service with sk-secret in it'

test.each([
  [new ApiError(SECRET, { status: 400 }), 400],
  [new ApiError(SECRET, { status: 422, param: 'file' }), 400],
  [new ApiError(SECRET, { status: 400, param: 'input' }), 400],
  [new ApiError(SECRET, { status: 400, param: 'keyterms' }), 502],
  [new ApiError(SECRET, { status: 401 }), 502],
  [new ApiError(SECRET, { status: 403 }), 502],
  [new ApiError(SECRET, { status: 404, param: 'voice_id' }), 502],
  [new ApiError(SECRET, { status: 405 }), 502],
  [new ApiError(SECRET, { status: 409 }), 502],
  [new ApiError(SECRET, { status: 302 }), 502],
  [new ApiError(SECRET, { status: 413 }), 413],
  [new ApiError(SECRET, { status: 415 }), 415],
  [new ApiError(SECRET, { status: 429 }), 429],
  [new ApiError(SECRET, { status: 500 }), 502],
  [new ApiError(SECRET, { status: 503 }), 502],
  [new ApiError(SECRET, { status: 504 }), 504],
  [new ConnectionError(SECRET), 502],
  [new NotReplayableError(SECRET), 502],
  [new NotReplayableError(SECRET, { cause: new ApiError(SECRET, { status: 429 }) }), 429],
  [new ProtocolError(SECRET), 502],
  [new StreamTruncatedError(SECRET, { bytes: 1 }), 502],
  [new TimeoutError('total', SECRET), 504],
  [new TaskTimeoutError(SECRET, 50), 504],
  [new InvalidRequestError('invalid_range', 'input', SECRET), 400],
  [new InvalidRequestError('unsupported_for_model', 'model', SECRET), 500],
  [new InvalidRequestError('file_too_large', 'file', SECRET), 413],
  [new InvalidRequestError('unreadable_file', 'file', SECRET), 500],
  [new ConfigurationError(SECRET), 500],
])('%s (case %#) becomes %i in our own words', (error, status) => {
  const answer = gatewayResponse(error)
  expect(answer?.status).toBe(status)
  expect(JSON.stringify(answer)).not.toMatch(/secret|service with/)
})

test('Retry-After is passed on in whole seconds', () => {
  expect(gatewayResponse(new ApiError('slow down', { status: 429, retryAfter: 1.2 }))).toMatchObject({
    status: 429,
    retryAfterSeconds: 2,
  })
  expect(gatewayResponse(new ApiError('busy', { status: 503, retryAfter: 5 }))).toMatchObject({
    status: 502,
    retryAfterSeconds: 5,
  })
  expect(gatewayResponse(new ApiError('slow down', { status: 429 }))).not.toHaveProperty('retryAfterSeconds')
})

test('an error of somebody else has no response here', () => {
  for (const other of [new Error('no'), new TypeError('no'), undefined, null, 'text', { status: 401 }]) {
    expect(gatewayResponse(other)).toBeUndefined()
  }
})
