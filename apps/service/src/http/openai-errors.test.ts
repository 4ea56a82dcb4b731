import { expect, test } from 'vitest'
import { invalid, ServiceError } from '../domain/service-error.ts'
import { openaiErrorBody } from './openai-errors.ts'

test('the body has the fields of OpenAI', () => {
  expect(openaiErrorBody(new ServiceError(503, 'engine_unavailable', 'The engine is down'))).toEqual({
    error: { message: 'The engine is down', type: 'server_error', param: null, code: 'engine_unavailable' },
  })
})

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [404, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'server_error'],
])('status %d has the type %s', (status, type) => {
  expect(openaiErrorBody(new ServiceError(status, 'invalid_value', 'Message'))).toMatchObject({ error: { type } })
})

test.each([
  [
    'voice_id',
    'voice_id is required: see GET /v1/audio/voices',
    'voice',
    'voice is required: see GET /openai/v1/audio/voices',
  ],
  ['keyterms', 'A keyterm must be short', 'keywords', 'A keyword must be short'],
  [
    'diarize',
    'diarize does not work: use svc-transcribe-diarize-pro',
    'response_format',
    'response_format does not work: use svc-transcribe-diarize-pro',
  ],
  ['input', 'input has voice_ids', 'input', 'input has voice_ids'],
])('%s has the name of OpenAI in the field and the message', (param, message, renamed, told) => {
  expect(openaiErrorBody(invalid('invalid_value', param, message))).toMatchObject({
    error: { param: renamed, message: told },
  })
})
