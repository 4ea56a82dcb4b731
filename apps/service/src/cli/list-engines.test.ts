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

/** A kind of engine that makes 0.1 s of silence, each sentence after the given pause. */
const kind = (pause: number): string => `
const voices = [{ id: 'calm', name: 'Calm', language: 'en' }]
const format = { sampleRate: 16000, channels: 1, bitDepth: 16 }
async function* speak() {
  await new Promise((resolve) => setTimeout(resolve, ${pause}))
  yield new Uint8Array(3200)
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
