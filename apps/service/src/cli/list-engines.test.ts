import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkEngines, listEngines } from './list-engines.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-list-engines-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A kind of engine that makes silence, each sentence after the given pause. */
const kind = (pause: number, bytes = 3200): string => `
const voices = [{ id: 'calm', name: 'Calm', language: 'en' }]
const format = { sampleRate: 16000, channels: 1, bitDepth: 16 }
async function* speak() {
  await new Promise((resolve) => setTimeout(resolve, ${pause}))
  yield new Uint8Array(${bytes})
}
const engine = { name: 'e', voices, synthesize: async () => ({ format, chunks: speak() }), close: async () => {} }
const speech = { name: 'e', voices, create: async () => engine }
export const engineKind = { driver: 'x', schema: {}, check: () => ({ create: async () => ({ speech }) }) }
`

test('an engine above real time works, with a warning that names the remedy', async () => {
  await writeFile(join(folder, 'slow.mjs'), kind(400))
  await writeFile(join(folder, 'engines.yaml'), 'engines:\n  kokoro:\n    driver: ./slow.mjs\n')
  const options = { dataDir: folder, enginesFile: join(folder, 'engines.yaml') }
  const warning =
    /kokoro needs \d+\.\d s for a second of audio, and a listener waits for its words: choose a smaller model/
  const { list, works } = await listEngines(options, {})
  expect(list).toMatch(warning)
  expect(works).toBe(true)
  expect(JSON.parse((await listEngines(options, { json: true })).list)).toMatchObject([
    { name: 'kokoro', works: true, warning: expect.stringMatching(warning) },
  ])
  expect(await checkEngines(options)).toMatchObject([{ level: 'warn', name: 'kokoro speech' }])
})

test('an engine that speaks no sound fails', async () => {
  await writeFile(join(folder, 'mute.mjs'), kind(0, 0))
  await writeFile(join(folder, 'engines.yaml'), 'engines:\n  mute:\n    driver: ./mute.mjs\n')
  const { list, works } = await listEngines({ dataDir: folder, enginesFile: join(folder, 'engines.yaml') }, {})
  expect(list).toMatch(/^mute .* fails .* it spoke no sound/m)
  expect(works).toBe(false)
})
