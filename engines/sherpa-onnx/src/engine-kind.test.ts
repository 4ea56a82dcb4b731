import { expect, test } from 'vitest'
import { engineKind } from './engine-kind.ts'

const context = { name: 'mine', folder: '/nowhere', dataDir: '/nowhere/data', environment: {} }

test.each<[string, object, (string | number)[][]]>([
  ['unknown family and names', { family: 'tts', model: 'm', key: 1 }, [['family'], ['key']]],
  ['a voice model without voices', { family: 'piper', model: 'm' }, [['voices'], ['model']]],
  [
    'a recognizer with voices',
    { family: 'whisper', model: 'm', voices: [{ id: 'a', language: 'en' }] },
    [['voices'], ['model']],
  ],
  ['a language in words', { family: 'whisper', model: 'm', languages: ['English'] }, [['languages', 0]]],
  [
    'keys that a voice model has not',
    { family: 'vits', model: 'm', voices: [{ id: 'a', language: 'en' }], vad: 'v', punctuation: 'p', similarity: 0.5 },
    [['vad'], ['punctuation'], ['similarity'], ['model']],
  ],
  [
    'keys that a model of embeddings has not',
    { family: 'speaker-embedding', model: 'm', languages: ['en'], punctuation: 'p' },
    [['languages'], ['punctuation'], ['model']],
  ],
  ['a similarity above 1', { family: 'speaker-embedding', model: 'm', similarity: 2 }, [['similarity']]],
  [
    'a file of another family',
    { family: 'whisper', model: 'm', files: { vocoder: 'v' } },
    [['files', 'vocoder'], ['model']],
  ],
  [
    'a recording for a voice that is a speaker',
    { family: 'vits', model: 'm', voices: [{ id: 'a', language: 'en', reference: 'a.wav' }] },
    [['voices', 0, 'reference'], ['model']],
  ],
  [
    'the text of a recording for a family that does not read it',
    { family: 'vits', model: 'm', voices: [{ id: 'a', language: 'en', referenceText: 'hi' }] },
    [['voices', 0, 'referenceText'], ['model']],
  ],
  [
    'a voice without the recording that it sounds like, or without its text',
    {
      family: 'zipvoice',
      model: 'm',
      voices: [
        { id: 'a', language: 'en', referenceText: 'hi' },
        { id: 'b', language: 'en', reference: 'b.wav' },
      ],
    },
    [['voices', 0, 'reference'], ['voices', 1, 'reference'], ['voices', 1, 'referenceText'], ['model']],
  ],
])('the mistakes of an entry have their paths: %s', (_, entry, paths) => {
  const { faults } = engineKind.check(entry, context)
  expect(faults?.map(({ path }) => path)).toEqual(paths)
})

test('a model that is not there is named with its remedy', () => {
  const { faults } = engineKind.check({ family: 'whisper', model: 'tiny' }, context)
  expect(faults?.[0]?.message).toBe('/nowhere/tiny is no folder: unpack the model there, or correct the path')
})
