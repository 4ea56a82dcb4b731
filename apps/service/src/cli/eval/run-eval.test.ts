import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '@svc-audio/core/audio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EvalOptions, runEval } from './run-eval.ts'

const PCM = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** Engines of an own driver: a recognizer that hears `One two.` in everything, and a voice of silence. */
const KIND = `
const ears = { name: 'ears', create: async () => ({
  name: 'ears',
  async recognize(pcm) {
    for await (const chunk of pcm) void chunk
    return { text: 'One two.', words: [], durationSeconds: 1 }
  },
  close: async () => {},
}) }
const voicesOf = (id) => [{ id, name: id, language: 'en' }]
const speech = (id) => ({ name: 'mouth', voices: voicesOf(id), create: async () => ({
  name: 'mouth',
  voices: voicesOf(id),
  async synthesize() {
    const chunks = (async function* () { yield new Uint8Array(32000) })()
    return { format: { sampleRate: 16000, channels: 1, bitDepth: 16 }, chunks }
  },
  close: async () => {},
}) })
export const engineKind = {
  driver: 'scripted',
  schema: { type: 'object', properties: { speaks: {}, hears: {} } },
  check: ({ speaks, hears }) => ({
    create: async () => ({ speech: speaks && speech(speaks), recognition: hears && ears }),
  }),
}
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-run-eval-'))
  await writeFile(join(folder, 'kind.mjs'), KIND)
  await writeFile(join(folder, 'a.wav'), encodeWav(PCM, [new Uint8Array(32_000)]))
  await writeFile(join(folder, 'a.txt'), 'One two three.')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const SCRIPTED = { driver: './kind.mjs' }
const ENGINES = {
  ears: { ...SCRIPTED, hears: true },
  both: { ...SCRIPTED, hears: true, speaks: 'quiet' },
  mouth: { ...SCRIPTED, speaks: 'still' },
}

/** Measures engines of a file. */
async function evaluated(engines: object, given: Partial<EvalOptions> = {}): Promise<string> {
  const enginesFile = join(folder, 'engines.json')
  await writeFile(enginesFile, JSON.stringify({ engines }))
  return runEval({ dataDir: join(folder, 'data'), enginesFile }, { folder, voices: undefined, json: false, ...given })
}

describe('eval with a file of engines', () => {
  test('measures each engine that recognizes, in the order of the file', async () => {
    const results: unknown = JSON.parse(await evaluated(ENGINES, { json: true }))
    const heard = { recognition: 'ears', voices: [], total: { wordErrors: 1, words: 3 } }
    expect(results).toMatchObject([
      { engine: 'ears', ...heard },
      { engine: 'both', ...heard },
    ])
  })

  test('measures the voices of an engine that also recognizes', async () => {
    const [result]: unknown[] = JSON.parse(await evaluated(ENGINES, { json: true, engine: 'both', voices: ['quiet'] }))
    expect(result).toMatchObject({
      engine: 'both',
      speech: 'mouth',
      recordings: [{ name: 'a' }],
      voices: [{ voice: 'quiet', wordErrors: 1, words: 3 }],
    })
  })

  test('prints a table for each engine', async () => {
    const text = await evaluated({ one: ENGINES.ears, other: ENGINES.ears })
    expect(text.match(/^Recognition by ears$/gm)).toHaveLength(2)
    expect(text).toContain('33.3 %')
  })

  test.each<[string, object, Partial<EvalOptions>, string]>([
    ['an unknown engine', ENGINES, { engine: 'moth' }, 'The file has no engine moth: use one of ears, both, mouth'],
    [
      'ids of voices for several engines',
      ENGINES,
      { voices: ['quiet'] },
      '--voices with ids needs --engine: both, mouth',
    ],
    ['engines that only speak', { mouth: ENGINES.mouth }, {}, 'recognize nothing: add --voices all'],
    ['an unknown voice', { both: ENGINES.both }, { voices: ['loud'] }, 'mouth has no voice loud: it has quiet'],
    ['a mistake in the file', { one: { driver: 'opanai' } }, {}, 'did you mean openai?'],
  ])('refuses %s with the remedy', async (_, engines, given, message) => {
    await expect(evaluated(engines, given)).rejects.toThrow(message)
  })
})

test('eval with an engine and without a file of engines names the setting', async () => {
  const given = { folder, voices: undefined, json: false, engine: 'ears' }
  await expect(runEval({ dataDir: join(folder, 'data') }, given)).rejects.toThrow('name one with --engines')
})
