import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  ProtocolError,
  StreamTruncatedError,
  TimeoutError,
} from '@svc-audio/core'
import { describe, expect, test } from 'vitest'
import { SpeechToolError } from './speech-tool-error.ts'
import { toSpeechToolError } from './to-speech-tool-error.ts'

const SECRET = 'POST http://10.1.2.3:9/v1 failed for key-123 at /srv/private'

describe('an answer of the service', () => {
  test.each([
    [400, 'rejected', false],
    [401, 'unauthorized', false],
    [402, 'payment_required', false],
    [403, 'unauthorized', false],
    [404, 'misconfigured', false],
    [408, 'timeout', true],
    [409, 'rejected', true],
    [413, 'audio_too_large', false],
    [415, 'audio_unreadable', false],
    [422, 'rejected', false],
    [429, 'rate_limited', true],
    [500, 'service_failed', false],
    [502, 'unavailable', true],
    [503, 'unavailable', true],
    [307, 'rejected', false],
  ])('%d is %s', (status, code, retryable) => {
    const error = toSpeechToolError(new ApiError(SECRET, { status, code: SECRET }))
    expect(error).toMatchObject({ code, retryable })
    expect(error.message).not.toMatch(/http|10\.1|key-123|srv/)
    // a model follows the text
    expect(/(?:again later|again in)/.test(error.message)).toBe(retryable)
  })

  test('429 with a time says when to come back', () => {
    const error = toSpeechToolError(new ApiError(SECRET, { status: 429, retryAfter: 6.2 }))
    expect(error.message).toBe('The audio service is busy. Try again in 7 seconds.')
  })

  test.each([
    [400, 'unspeakable_text', 'input', 'invalid_text', /Write it in words and letters of the language/],
    [400, 'input_too_long', 'input', 'text_too_long', /Split it/],
    [400, 'url_unreachable', 'url', 'url_rejected', /no audio at this URL. Check the address/],
    [404, undefined, 'url', 'url_rejected', /no audio at this URL. Check the address/],
    [404, 'file_not_found', 'file_id', 'audio_not_found', /does not exist any more. Use another one/],
    [404, 'task_not_found', 'task_id', 'task_not_found', /Start a new one/],
    [402, undefined, undefined, 'payment_required', /no credit left.*tell the user/],
    [500, 'internal_error', undefined, 'service_failed', /failed on this request.*tell the user/],
  ])('%d %s tells the model what to do', (status, code, param, expected, sentence) => {
    const error = toSpeechToolError(new ApiError(SECRET, { status, code, param }))
    expect(error).toMatchObject({ code: expected, retryable: false })
    expect(error.message).toMatch(sentence)
  })

  test('the request id is in the error and in the stack that tracers record, not in the sentence', () => {
    const error = toSpeechToolError(new ApiError(SECRET, { status: 500, requestId: 'req_42' }))
    expect(error.requestId).toBe('req_42')
    expect(error.stack).toContain('req_42')
    expect(error.message).not.toContain('req_42')
  })

  test('a refused URL is told apart', () => {
    expect(toSpeechToolError(new ApiError(SECRET, { status: 400, param: 'url' }))).toMatchObject({
      code: 'url_rejected',
      retryable: false,
    })
  })
})

test.each([
  [new ConnectionError(SECRET), 'unavailable', true],
  [new TimeoutError('headers', SECRET), 'timeout', true],
  [new StreamTruncatedError(SECRET, { bytes: 3 }), 'interrupted', true],
  [new ProtocolError(SECRET), 'invalid_answer', false],
  [new ConfigurationError(SECRET), 'misconfigured', false],
  [new InvalidRequestError('voice', 'voice_id', SECRET), 'misconfigured', false],
  [new InvalidRequestError('unreadable_file', 'file', SECRET), 'audio_unreadable', false],
  [new InvalidRequestError('file_too_large', 'file', SECRET), 'audio_too_large', false],
  [new TypeError(SECRET), 'misconfigured', false],
  [SECRET, 'misconfigured', false],
  [undefined, 'misconfigured', false],
])('%o is %s', (error, code, retryable) => {
  const failure = toSpeechToolError(error)
  expect(failure).toMatchObject({ code, retryable })
  expect(failure.message).not.toMatch(/http|10\.1|key-123|srv/)
  expect(failure.cause).toBe(error)
})

test('a rule for the text reaches the model in its own word for it', () => {
  const error = toSpeechToolError(
    new InvalidRequestError('invalid_range', 'input', '[pause 20s] is outside 0.1 to 10.0 seconds'),
  )
  expect(error).toMatchObject({ code: 'invalid_text', message: 'text: [pause 20s] is outside 0.1 to 10.0 seconds' })
})

test('an error of this package stays as it is', () => {
  const error = new SpeechToolError('text_too_long', 'too long')
  expect(toSpeechToolError(error)).toBe(error)
})

test('errors of a second copy of core are understood', () => {
  const copy = new Error(SECRET)
  Object.defineProperties(copy, {
    [Symbol.for('svc-audio.error')]: { value: true },
    name: { value: 'ApiError' },
    status: { value: 429 },
    retryable: { value: true },
  })
  expect(toSpeechToolError(copy)).toMatchObject({ code: 'rate_limited', retryable: true })
})

test.each([
  [0.2, 'Try again in a second.'],
  [6.2, 'Try again in 7 seconds.'],
  [600, 'Try again in 10 minutes.'],
  [7300, 'Try again in 3 hours.'],
])('a service that is busy for %d seconds is tried again at a time that people would say', (retryAfter, sentence) => {
  const { message } = toSpeechToolError(new ApiError(SECRET, { status: 429, retryAfter }))
  expect(message).toBe(`The audio service is busy. ${sentence}`)
})
