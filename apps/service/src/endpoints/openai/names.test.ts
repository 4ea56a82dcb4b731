import { describe, expect, test } from 'vitest'
import { findModel, OPENAI_MODELS } from '../../domain/models.ts'
import { invalid, ServiceError } from '../../domain/service-error.ts'
import { modelOf, openaiErrorBody, voiceOf, VOICES } from './names.ts'

const voices = (...ids: string[]): { id: string; name: string; language: string }[] =>
  ids.map((id) => ({ id, name: id, language: 'en' }))

test('every name of a model stands for a model of the service, and other names stay', () => {
  for (const name of OPENAI_MODELS.keys()) expect(findModel(modelOf(name)).id).toMatch(/^svc-/)
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

  test('is the voice with that name and gender in the ids of Kokoro', () => {
    const kokoro = voices('af_alloy', 'af_echo', 'af_nova', 'am_adam', 'am_echo', 'am_onyx', 'bf_emma', 'bm_fable')
    const chosen = Object.fromEntries(
      ['alloy', 'echo', 'fable', 'nova', 'onyx'].map((name) => [name, voiceOf(name, kokoro)]),
    )
    expect(chosen).toEqual({ alloy: 'af_alloy', echo: 'am_echo', fable: 'bm_fable', nova: 'af_nova', onyx: 'am_onyx' })
  })

  test('without a voice of that name is one of its gender, in the language of the first voice', () => {
    const kokoro = voices('af_bella', 'af_sky', 'am_adam', 'am_liam', 'bm_george', 'zm_yunxi')
    for (const [name, { gender }] of VOICES) {
      expect(voiceOf(name, kokoro)).toMatch(gender === 'female' ? /^af_/ : /^am_/)
    }
  })

  test('is a voice of its gender where voices tell it', () => {
    const told = [
      { id: 'a', name: 'A', language: 'de', gender: 'male' },
      { id: 'b', name: 'B', language: 'de', gender: 'female' },
    ] as const
    expect([voiceOf('onyx', told), voiceOf('nova', told)]).toEqual(['a', 'b'])
  })

  test('is the alias of the operator, before every other rule', () => {
    const aliases = new Map([
      ['nova', 'a'],
      ['anna', 'b'],
    ])
    expect([voiceOf('nova', voices('nova', 'a'), aliases), voiceOf('anna', voices('a'), aliases)]).toEqual(['a', 'b'])
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
