import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { enginesSchema } from './schema.ts'
import { readEnginesFile } from './read.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-engines-'))
  await writeFile(join(folder, 'hum.mjs'), HUM)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A kind of an operator's own: it needs a pitch. */
const HUM = `export const engineKind = {
  driver: 'hum',
  schema: {},
  check(keys, { name, environment }) {
    if (keys.pitch === undefined) return { faults: [{ path: ['pitch'], message: 'is missing' }] }
    if (environment.HUM === undefined) return { faults: [{ path: [], message: 'needs the variable HUM' }] }
    const voices = (keys.voices ?? [name]).map((id) => ({ id, name: id, language: 'en' }))
    return { create: async () => ({ speech: { name, voices, create: async () => undefined } }) }
  },
}`

async function read(text: string, environment: Readonly<Record<string, string>> = { HUM: '1' }) {
  const file = join(folder, 'engines.yaml')
  await writeFile(file, text)
  return readEnginesFile(file, { dataDir: folder, environment })
}

/** The mistakes of a file, without the folder. */
async function mistakes(text: string, environment?: Readonly<Record<string, string>>): Promise<string[]> {
  try {
    await read(text, environment)
  } catch (error) {
    if (error instanceof Error) return error.message.replaceAll(`${folder}/`, '').split('\n')
  }
  return []
}

test('the published schema is that of the code', async () => {
  const published: unknown = JSON.parse(await readFile(new URL('../../engines.schema.json', import.meta.url), 'utf8'))
  expect(published).toEqual(JSON.parse(JSON.stringify(enginesSchema())))
})

describe('a file of engines', () => {
  test('has its engines in their order, with the limits of the service', async () => {
    const { engines, bundled } = await read(`
engines:
  second:
    driver: ./hum.mjs
    pitch: 5
    atOnce: 7
    languages: [de, fr]
    models: [svc-transcribe-1.0]
  first: { driver: ./hum.mjs, pitch: 3 }
bundled: [recognition, diarization]
`)
    expect(engines).toMatchObject([
      { name: 'second', atOnce: 7, languages: ['de', 'fr'], models: ['svc-transcribe-1.0'] },
      { name: 'first', atOnce: 4 },
    ])
    expect(engines.map(({ parts }) => parts.speech?.voices[0]?.id)).toEqual(['second', 'first'])
    expect([...bundled]).toEqual(['recognition', 'diarization'])
  })

  test('may be JSON', async () => {
    const { engines } = await read(JSON.stringify({ engines: { a: { driver: './hum.mjs', pitch: 1 } } }))
    expect(engines).toHaveLength(1)
  })

  test('is reported with every mistake, its line, its path and the remedy', async () => {
    expect(
      await mistakes(`
engines:
  one:
    driver: ./hum.mjs
  two:
    driver: opanai
  three:
    driver: ./none.mjs
`),
    ).toEqual([
      'engines.yaml:3: engines.one.pitch is missing',
      expect.stringMatching(/^engines\.yaml:6: engines\.two\.driver names no driver; did you mean openai\?/),
      'engines.yaml:8: engines.three.driver is not installed: correct the path',
    ])
  })

  test.each<[what: string, text: string, fault: RegExp]>([
    ['a broken line', 'engines: [', /^engines\.yaml:1: this is not valid YAML or JSON/],
    [
      'an unknown key',
      'engins: {}\nengines: {}',
      /^engines\.yaml:1: engins: Unknown key `engins`; did you mean `engines`\?/,
    ],
    ['no engines', 'bundled: [speech]', /^engines\.yaml:1: engines is missing/],
    [
      'a wrong name',
      'engines: { "My Engine": { driver: openai } }',
      /engines\.My Engine must be named by a small letter/,
    ],
    ['no driver', 'engines:\n  a: { atOnce: 2 }', /^engines\.yaml:2: engines\.a\.driver is missing/],
    ['a wrong limit', 'engines:\n  a: { driver: ./hum.mjs, atOnce: 0 }', /engines\.a\.atOnce must be at least 1/],
    ['a wrong language', 'engines: { a: { driver: x, languages: [German] } }', /languages\.0 must be language tags/],
    ['a bundled engine that does not exist', 'engines: {}\nbundled: [video]', /bundled\.0 must be one of speech/],
    ['work without an engine', 'engines: {}\nbundled: [speech]', /bundled must have recognition: no other engine/],
  ])('is refused with %s', async (_what, text, fault) => {
    expect((await mistakes(text))[0]).toMatch(fault)
  })

  test('is refused where a variable of its entry is unset', async () => {
    expect(await mistakes('engines: { a: { driver: ./hum.mjs, pitch: 1 } }', {})).toEqual([
      'engines.yaml:1: engines.a needs the variable HUM',
    ])
  })

  test('that does not exist is named with its setting', async () => {
    await expect(readEnginesFile(join(folder, 'none.yaml'), { dataDir: folder })).rejects.toThrow(
      /none\.yaml does not exist\. Correct --engines or SVC_AUDIO_ENGINES/,
    )
  })
})
