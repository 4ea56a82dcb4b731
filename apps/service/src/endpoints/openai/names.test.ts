import { describe, expect, test } from 'vitest'
import { findModel } from '../../domain/models.ts'
import { invalid, ServiceError } from '../../domain/service-error.ts'
import { modelOf, MODELS, openaiErrorBody, voiceOf, VOICES } from './names.ts'

const voices = (...ids: string[]): { id: string; name: string; language: string }[] =>
  ids.map((id) => ({ id, name: id, language: 'en' }))

test('every name of a model stands for a model of the service, and other names stay', () => {
  for (const name of MODELS.keys()) expect(findModel(modelOf(name)).id).toMatch(/^svc-/)
  expect(modelOf('svc-tts-1.0-pro')).toBe('svc-tts-1.0-pro')
  expect(modelOf('gpt-9')).toBe('gpt-9')
})

describe('a name of a voice', () => {
  test('is the voice of the bundled engine', () => {
    expect(voiceOf('onyx', voices('rms', 'slt', 'awb'))).toBe('awb')
    expect(voiceOf('ash', voices('joe', 'rms', 'slt'))).toBe('joe')
  })

  test('is a voice of flite where joe is not installed', () => {
    expect(voiceOf('ash', voices('rms', 'slt', 'awb'))).toBe('rms')
  })

  test('is a voice of another engine, always the same, and all its voices are used', () => {
    const other = voices('a', 'b', 'c')
    const chosen = [...VOICES.keys()].map((name) => voiceOf(name, other))
    expect(new Set(chosen)).toEqual(new Set(['a', 'b', 'c']))
    expect([...VOICES.keys()].map((name) => voiceOf(name, other))).toEqual(chosen)
  })

  test('is the voice of that name, if the engine has one', () => {
    expect(voiceOf('nova', voices('slt', 'nova'))).toBe('nova')
  })

  test('stays if OpenAI does not have it, or the engine has no voice', () => {
    expect(voiceOf('rms', voices('slt'))).toBe('rms')
    expect(voiceOf('alloy', [])).toBe('alloy')
  })
})

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
