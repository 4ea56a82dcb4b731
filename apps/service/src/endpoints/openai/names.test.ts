import { describe, expect, test } from 'vitest'
import { findModel } from '../../domain/models.ts'
import { modelOf, MODELS, voiceOf, VOICES } from './names.ts'

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
