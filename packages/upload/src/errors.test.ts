import { ApiError, InvalidRequestError } from '@svc-audio/core'
import { expect, test } from 'vitest'
import { AudioGatewayError, ClientDisconnectedError, toGatewayError, UploadError } from './errors.ts'
import { failureAnswer } from './failure.ts'

test('an upload error has the fields that frameworks read', () => {
  expect(new UploadError('file_too_large', 'too large')).toMatchObject({
    name: 'UploadError',
    code: 'file_too_large',
    status: 413,
    expose: true,
  })
  expect(new UploadError('body_already_read', 'read before')).toMatchObject({ status: 500, expose: false })
})

test('each class recognizes its own errors only', () => {
  const [upload, disconnected] = [new UploadError('empty_file', 'empty'), new ClientDisconnectedError()]
  expect(
    [upload, disconnected, new Error('other'), null, { status: 400 }].map((one) => UploadError.isInstance(one)),
  ).toEqual([true, false, false, false, false])
  expect([upload, disconnected].map((one) => ClientDisconnectedError.isInstance(one))).toEqual([false, true])
  expect(disconnected).toMatchObject({ status: 499, code: 'client_disconnected', expose: false })
})

const SECRET = 'words of the service at http://10.0.0.5:8787'

test.each([
  [401, 502, true],
  [429, 429, true],
  [500, 502, true],
  [415, 415, true],
])("the service's %i is %i for a caller, and none of its words are", (theirs, ours, expose) => {
  const cause = new ApiError(SECRET, { status: theirs, code: 'sekret', retryAfter: 6.5 })
  const error = toGatewayError(cause)
  expect(error).toMatchObject({ name: 'AudioGatewayError', status: ours, expose, headers: { 'retry-after': '7' } })
  expect(error).toHaveProperty('cause', cause)
  // Everything that a page, a JSON body or a stack can show.
  const shown = `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`
  expect(shown).not.toMatch(/words of|10\.0\.0|sekret/)
})

test('a misconfigured server is not exposed', () => {
  const error = toGatewayError(new InvalidRequestError('unsupported_for_model', 'model', SECRET))
  expect(error).toMatchObject({ status: 500, expose: false, headers: {} })
})

test('a safe or foreign error is returned unchanged', () => {
  for (const error of [new UploadError('empty_file', 'empty'), new TypeError('no'), undefined, { status: 401 }]) {
    expect(toGatewayError(error)).toBe(error)
  }
})

test('an error from a second copy of the package is recognized, and keeps its response', () => {
  const error = toGatewayError(new ApiError(SECRET, { status: 429, retryAfter: 7 }))
  expect(AudioGatewayError.isInstance(error)).toBe(true)
  expect(AudioGatewayError.isInstance({ [Symbol.for('svc-audio.gateway-error')]: true })).toBe(true)
  expect(failureAnswer(error)).toEqual({
    status: 429,
    code: 'rate_limited',
    message: 'Too many requests at the moment',
    retryAfterSeconds: 7,
  })
})
