import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cut } from '@svc-audio/testing'
import { expect, test, vi } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage, SPEECH } from './support/stage.ts'

const stage = setUpStage()

const ONE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': 'A short text.' }
// A page of one segment is then one file of the cache.
const WAV = { response_format: 'wav', loudness: 'service' } as const
const FOLDER = 'node_modules/.cache/svc-audio'

test('an entry is an audio file and its JSON, named by the key', async () => {
  const site = await stage.site(ONE, { response_format: 'mp3' })
  const { durationSeconds } = await site.buildOne()
  const files = await site.list(FOLDER)
  expect(files.map((file) => file.slice(`${site.root}/${FOLDER}/`.length))).toEqual([
    expect.stringMatching(/^([\da-f]{2})\/\1[\da-f]{62}\.json$/),
    expect.stringMatching(/^([\da-f]{2})\/\1[\da-f]{62}\.mp3$/),
    // The note of the page's last audio.
    expect.stringMatching(/^latest\/[\da-f]{64}\.json$/),
  ])
  expect(JSON.parse(await readFile(files[0] ?? '', 'utf8'))).toEqual({
    sha256: expect.stringMatching(/^[\da-f]{64}$/),
    durationSeconds,
    source: 'post.md',
    model: 'svc-tts-1.5-flash',
    voice_id: 'rms',
    response_format: 'mp3',
    input: 'A short text.',
  })
})

/** Runs a build an hour from now, when files are old enough for notes. */
async function later<Result>(build: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  try {
    return await build()
  } finally {
    vi.useRealTimers()
  }
}

test('a warm build reads its notes instead of Markdown and audio', async () => {
  const site = await stage.site(ONE, WAV)
  const { durationSeconds = 0 } = await site.buildOne()
  await later(() => site.buildOne())
  // Vite's own cache is in node_modules once that exists.
  const notes = join(site.root, 'node_modules/.vite/svc-audio-narration.json')
  const text = await readFile(notes, 'utf8')
  await writeFile(notes, text.replace(`"durationSeconds":${durationSeconds}`, '"durationSeconds":77'))
  expect(await site.buildOne()).toMatchObject({ durationSeconds: 77, characters: 13 })
  await writeFile(notes, text.replace('"text":"A short text."', '"text":"Another text"'))
  expect(await site.buildOne({ mode: 'dry-run' })).toMatchObject({ characters: 12, src: '' })
  await writeFile(notes, text.replace('"version":"', '"version":"0 '))
  expect(await site.buildOne()).toMatchObject({ durationSeconds, characters: 13 })
  await writeFile(notes, text.slice(0, 100))
  expect(await site.buildOne()).toMatchObject({ durationSeconds, characters: 13 })
  expect(stage.calls).toHaveLength(1)
})

test('collect removes audio that its source no longer uses, and audio of a deleted source', async () => {
  const main = (names: readonly string[]): string =>
    names.map((name) => `export * as ${name} from './${name}.md?narrate'`).join('\n')
  const site = await stage.site(
    { 'main.js': main(['a', 'b', 'c']), 'a.md': 'First.\n\nSecond.', 'b.md': 'Third.', 'c.md': 'Fourth.' },
    WAV,
  )
  await site.build()
  await site.write({ 'main.js': main(['a']), 'a.md': 'First.\n\nChanged.' })
  await rm(join(site.root, 'b.md'))
  const said = async (): Promise<string[]> => {
    const files = (await site.list(FOLDER)).filter((file) => /\/[\da-f]{2}\/[\da-f]{64}\.json$/.test(file))
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    return texts.flatMap((one) => /"input": "(.*)"/.exec(one)?.[1] ?? []).toSorted()
  }
  await site.build({ collect: true, mode: 'dry-run' })
  expect(await said()).toEqual(['First.', 'Fourth.', 'Second.', 'Third.'])
  await site.build({ collect: true })
  expect(await said()).toEqual(['Changed.', 'First.', 'Fourth.'])
  await site.build({ collect: true, mode: 'cache-only' })
  expect(stage.calls).toHaveLength(5)
})

test.each<[damage: string, (json: string, audio: string) => Promise<void>]>([
  ['audio that was cut', (_, audio) => truncate(audio, 500)],
  [
    'audio of the same size that was altered',
    async (_, audio) => writeFile(audio, (await readFile(audio)).fill(7, 100, 200)),
  ],
  ['audio that is missing', (_, audio) => rm(audio)],
  ['a JSON that was cut', (json) => truncate(json, 20)],
  ['a JSON of something else', (json) => writeFile(json, '[1]')],
  ['a JSON with another sum', (json) => writeFile(json, '{"sha256":"0"}')],
  ['a JSON that is missing', (json) => rm(json)],
])('%s is made anew, once', async (_, damage) => {
  const site = await stage.site(ONE, WAV)
  const first = await site.buildOne()
  const [json = '', audio = ''] = await site.list(FOLDER)
  await later(() => site.buildOne())
  await damage(json, audio)
  expect(await site.buildOne()).toEqual(first)
  expect(await site.buildOne()).toEqual(first)
  expect(stage.calls).toHaveLength(2)
})

test('an edited length in the JSON is ignored', async () => {
  const site = await stage.site(ONE, WAV)
  const first = await site.buildOne()
  const [json = ''] = await site.list(FOLDER)
  await writeFile(json, (await readFile(json, 'utf8')).replace(/"durationSeconds": [\d.]+/, '"durationSeconds": 999'))
  expect(await site.buildOne()).toEqual(first)
  expect(stage.calls).toHaveLength(1)
})

test('the folder is beside the nearest package.json, and can be chosen', async () => {
  const site = await stage.site(
    {
      'package.json': '{}',
      'app/main.js': `export { default } from './post.md?narrate'`,
      'app/post.md': 'A short text.',
    },
    WAV,
  )
  const config = { root: `${site.root}/app`, build: { rollupOptions: { input: `${site.root}/app/main.js` } } }
  await site.build({}, { ...config, build: { ...config.build, outDir: `${site.root}/dist` } })
  expect(await site.list(FOLDER)).toHaveLength(3)
  await site.build({ cacheDir: 'spoken' }, { ...config, build: { ...config.build, outDir: `${site.root}/dist` } })
  expect(await site.list('app/spoken')).toHaveLength(3)
})

test('a failed call leaves nothing in the cache', async () => {
  const site = await stage.site(ONE, WAV)
  stage.upstream.next(SPEECH, cut({ afterBytes: 1000 }))
  await expect(site.build()).rejects.toThrow('post.md cannot be narrated')
  expect(await site.list(FOLDER)).toEqual([])

  expect((await site.buildOne()).durationSeconds).toBeGreaterThan(0.5)
})

test('two imports with the same text and voice share one entry', async () => {
  const site = await stage.site(
    {
      'main.js': `import a from './a.md?narrate'; import b from './b.txt?narrate'; export default [a, b]`,
      'a.md': '**A short text.**',
      'b.txt': 'A short text.\n',
    },
    WAV,
  )
  const narrations = (await site.build())['default'] as Narration[]
  expect(stage.calls).toHaveLength(1)
  expect(await site.built(narrations[0]?.src ?? '')).toEqual(await site.built(narrations[1]?.src ?? ''))
})
