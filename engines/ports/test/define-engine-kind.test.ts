import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { EntryContext } from '../src/index.ts'
import { defineEngineKind } from '../src/kind.ts'
import { scriptedSpeech } from './scripted-engines.ts'

const KIND = defineEngineKind({
  driver: 'hum',
  keys: z.strictObject({
    address: z.string().describe('Address of the hummer'),
    atOnce: z.int().min(1).optional(),
    pitch: z.union([z.number(), z.strictObject({ hertz: z.number() })]).optional(),
    voices: z.array(z.strictObject({ id: z.string().min(1), gender: z.enum(['female', 'male']).optional() })).min(1),
  }),
  findFaults: ({ address }, { environment }) =>
    environment['HUM'] === undefined ? [{ path: ['address'], message: `needs HUM for ${address.length} letters` }] : [],
  create: ({ voices }) => ({
    speech: {
      name: 'hum',
      voices: voices.map(({ id }) => ({ id, name: id, language: 'en' })),
      create: async () => scriptedSpeech(),
    },
  }),
})
const CONTEXT: EntryContext = { name: 'mine', folder: '/', dataDir: '/data', environment: { HUM: 'yes' } }
const ENTRY = { address: 'here', voices: [{ id: 'a' }] }

/** The mistakes of an entry, as `path: message`. */
function mistakes(keys: unknown, context: EntryContext = CONTEXT): string[] {
  return (KIND.check(keys, context).faults ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('a kind of engine', () => {
  test('makes the drivers of a right entry', async () => {
    const checked = KIND.check(ENTRY, CONTEXT)
    if (checked.faults !== undefined) throw new Error('the entry is right')
    const { speech } = await checked.create()
    expect(speech?.voices).toEqual([{ id: 'a', name: 'a', language: 'en' }])
  })

  test('has the JSON Schema of its keys', () => {
    expect(KIND.schema).toMatchObject({
      type: 'object',
      properties: { address: { type: 'string', description: 'Address of the hummer' } },
      required: ['address', 'voices'],
      additionalProperties: false,
    })
  })

  test.each<[what: string, keys: unknown, faults: readonly string[]]>([
    ['a missing key', { voices: [{ id: 'a' }] }, ['address: is missing']],
    ['a misspelt key', { ...ENTRY, atonce: 1 }, ['atonce: Unknown key `atonce`; did you mean `atOnce`?']],
    [
      'a key of an entry of a list',
      { ...ENTRY, voices: [{ id: 'a', gendre: 'male' }] },
      ['voices.0.gendre: Unknown key `gendre`; did you mean `gender`?'],
    ],
    ['a wrong type', { ...ENTRY, address: 5 }, ['address: must be a string, got 5']],
    ['a number that is too small', { ...ENTRY, atOnce: 0 }, ['atOnce: must be at least 1, got 0']],
    ['a broken number', { ...ENTRY, atOnce: 1.5 }, ['atOnce: must be an integer, got 1.5']],
    ['an empty text', { ...ENTRY, voices: [{ id: '' }] }, ['voices.0.id: must not be empty']],
    ['an empty list', { ...ENTRY, voices: [] }, ['voices: must have at least 1 entries']],
    [
      'another word',
      { ...ENTRY, voices: [{ id: 'a', gender: 'secret' }] },
      ['voices.0.gender: must be "female" or "male", got a string'],
    ],
    [
      'a wrong part of an alternative',
      { ...ENTRY, pitch: { hertz: 'high' } },
      ['pitch.hertz: must be a number, got a string'],
    ],
    [
      'several mistakes',
      { address: true, voices: [] },
      ['address: must be a string, got true', 'voices: must have at least 1 entries'],
    ],
    ['no object', ['address'], [': must be an object, got an array']],
  ])('reports %s with its path', (_what, keys, faults) => {
    expect(mistakes(keys)).toEqual(faults)
  })

  test('reports what only its own check finds', () => {
    expect(mistakes(ENTRY, { ...CONTEXT, environment: {} })).toEqual(['address: needs HUM for 4 letters'])
  })
})
