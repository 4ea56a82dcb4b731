import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { createTestUpstream } from '@svc-audio/testing'
import { expect, onTestFinished, test } from 'vitest'
import { FORMATS } from '../src/audio/index.ts'
import { type Narration, narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const TRAIN = 'The train to the coast leaves at seven in the morning.'
const ONE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': `${TRAIN}\n` }

test('the first build makes one call, the second none, and a changed text one', async () => {
  const site = await stage.site(ONE)
  const first = await site.buildOne()
  expect(stage.calls).toEqual([{ model: 'svc-tts-1.5-flash', input: TRAIN, voice_id: 'rms', response_format: 'wav' }])
  const audio = await site.built(first.src)

  expect(await site.buildOne()).toEqual(first)
  expect(await site.built(first.src)).toEqual(audio)
  expect(stage.calls).toHaveLength(1)

  await site.write({ 'post.md': 'The boat to the island leaves at nine.' })
  const changed = await site.buildOne()
  expect(stage.calls.map(({ input }) => input)).toEqual([TRAIN, 'The boat to the island leaves at nine.'])
  expect(changed.src).not.toBe(first.src)
})

test('an import chooses voice, model and format before the marker', async () => {
  const site = await stage.site({
    'main.js': `
      export { default as plain } from './post.md?narrate'
      export { default as other } from './post.md?voice_id=slt&model=svc-tts-1.0-pro&response_format=mp3&narrate='`,
    'post.md': TRAIN,
  })
  const { plain, other } = await site.build({ model: 'svc-tts-1.5-flash' })
  expect(plain).toMatchObject({ src: expect.stringMatching(/\.flac$/), type: 'audio/flac' })
  expect(other).toMatchObject({ src: expect.stringMatching(/\.mp3$/), type: 'audio/mpeg' })
  expect(stage.calls).toHaveLength(2)
  expect(stage.calls).toContainEqual({
    model: 'svc-tts-1.0-pro',
    input: TRAIN,
    voice_id: 'slt',
    response_format: 'mp3',
  })
})

test('Markdown, HTML and plain text are read, also by import.meta.glob', async () => {
  const site = await stage.site({
    'main.js': `export default import.meta.glob('./posts/*', { query: '?narrate', import: 'text', eager: true })`,
    'posts/a.md': '---\ntags: no\n---\n# One\n\nTwo [three](https://x.example).\n',
    'posts/b.html': '<h1>Four</h1><script>no</script><p>Five.</p>',
    'posts/c.txt': 'Six.\n',
  })
  const { default: texts } = await site.build()
  expect(texts).toEqual({
    './posts/a.md': 'One.\n\nTwo three.',
    './posts/b.html': 'Four.\n\nFive.',
    './posts/c.txt': 'Six.',
  })
})

test('an edit without a change of the spoken text makes no call', async () => {
  const site = await stage.site(ONE)
  const first = await site.buildOne()
  await site.write({ 'post.md': `---\ntags: [x]\n---\n\n${TRAIN}\n\n\`\`\`\ncode\n\`\`\`\n` })
  expect(await site.buildOne()).toEqual(first)
  expect(stage.calls).toHaveLength(1)
})

test('an import of the address alone adds no text to the bundle', async () => {
  const site = await stage.site({ ...ONE, 'main.js': `export { src as default } from './post.md?narrate'` })
  await site.build()
  expect(await readFile(join(site.root, 'dist/main.js'), 'utf8')).not.toContain('train')
})

test.each([
  { base: '/docs/', src: /^\/docs\/assets\/post-[\w-]{8}\.flac$/ },
  { base: 'https://cdn.example/site/', src: /^https:\/\/cdn\.example\/site\/assets\/post-[\w-]{8}\.flac$/ },
  { base: './', src: /^file:\/\/.*\/dist\/assets\/post-[\w-]{8}\.flac$/ },
])('the address is right under the base $base', async ({ base, src }) => {
  const site = await stage.site(ONE)
  const made = await site.buildOne({}, { base })
  expect(made.src).toMatch(src)
  const name = made.src.slice(made.src.lastIndexOf('/assets/'))
  expect((await site.built(name)).byteLength).toBeGreaterThan(1000)
})

test('every variant has an entry of its own in the manifest', async () => {
  const site = await stage.site({
    'main.js': `import a from './post.md?narrate'; import b from './post.md?voice_id=slt&narrate'; export default [a, b]`,
    'post.md': TRAIN,
  })
  const { default: narrations } = await site.build({}, { build: { manifest: 'manifest.json' } })
  const manifest = JSON.parse(await readFile(join(site.root, 'dist/manifest.json'), 'utf8')) as Record<
    string,
    { file: string }
  >
  const files = ['post.md?narrate', 'post.md?voice_id=slt&narrate'].map((id) => `/${manifest[id]?.file}`)
  expect((narrations as Narration[]).map(({ src }) => src)).toEqual(files)
})

test('a committed cache serves another build without a key', async () => {
  const site = await stage.site(ONE)
  const first = await site.buildOne({ cacheDir: 'narrations' })
  const files = await site.list('narrations')
  const other = await stage.site(ONE)
  await other.write(Object.fromEntries(files.map((file) => [file.slice(site.root.length), ''])))
  for (const file of files) await copyFile(file, join(other.root, file.slice(site.root.length)))
  const keyless = narration({ voice_id: 'rms', response_format: 'flac', cacheDir: 'narrations', mode: 'cache-only' })
  expect((await other.buildWith(keyless))['default']).toEqual(first)
  expect(stage.calls).toHaveLength(1)
})

test("the caller's client is used and stays open", async () => {
  await using other = await createTestUpstream()
  const client = new AudioClient({ apiKey: other.apiKey, baseUrl: other.url })
  onTestFinished(() => client.close())
  const site = await stage.site(ONE)
  await site.buildOne({ client })
  await site.write({ 'post.md': 'Again.' })
  await site.buildOne({ client })
  expect(stage.calls).toHaveLength(0)
  expect(other.requests).toHaveLength(2)
  expect((await client.models.list()).data).not.toHaveLength(0)
})

test('another model, voice, format, marking or named service is another narration; another address is not', async () => {
  const site = await stage.site(ONE)
  const sources = [
    await site.buildOne(),
    await site.buildOne({ baseUrl: `${stage.upstream.url}/v1/` }),
    await site.buildOne({ baseUrl: stage.upstream.url.replace('127.0.0.1', 'localhost') }),
    await site.buildOne({ model: 'svc-tts-1.0-pro' }),
    await site.buildOne({ voice_id: 'slt' }),
    await site.buildOne({ response_format: 'mp3' }),
    await site.buildOne({ endpoint: 'staging' }),
    await site.buildOne({ aigc_metadata: { enabled: true } }),
    await site.buildOne({ aigc_metadata: { enabled: false } }),
  ]
  // The second, the third and the last need no new call.
  expect(stage.calls).toHaveLength(sources.length - 3)
  expect(stage.calls.at(-1)?.aigc_metadata).toEqual({ enabled: true })
})

test('import.meta.glob imports one field of each file, or loads narrations lazily', async () => {
  const site = await stage.site({
    'main.js': `export default import.meta.glob('./*.md', { query: '?narrate', import: 'text', eager: true, base: './' })`,
    'a.md': 'A.',
  })
  expect((await site.build())['default']).toEqual({ './a.md': 'A.' })
  expect(stage.calls).toHaveLength(0)
  await site.write({
    'main.js': `export default await Promise.all(Object.values(import.meta.glob('./*.md', { query: '?narrate' })).map((load) => load()))`,
  })
  const { default: lazy } = (await site.build()) as { default: Narration[] }
  expect(lazy[0]?.src).toMatch(/flac/)
})

test('without response_format a page is MP3 of the frames of the service, in its exact length', async () => {
  const text = 'One.\n\nTwo.\n\nThree.'
  const site = await stage.site({ ...ONE, 'post.md': text }, { response_format: undefined })
  const { src, type, durationSeconds, bytes } = await site.buildOne()
  expect([src.replace(/^.*\./, ''), type]).toEqual(['mp3', 'audio/mpeg'])
  expect(stage.calls.map(({ response_format }) => response_format)).toEqual(['mp3', 'mp3', 'mp3'])
  const audio = await site.built(src)
  expect(audio.byteLength).toBe(bytes)
  expect(FORMATS.mp3.seconds(audio)).toBe(durationSeconds)
})

test('the text of a page is in the bundle only if it is imported', async () => {
  const list = `import narrations from 'virtual:narrations'; import post from './post.md?narrate'; export { narrations, post }`
  const site = await stage.site({ ...ONE, 'main.js': list })
  await site.build({ include: '*.md' })
  expect(String(await site.built('main.js'))).not.toContain(TRAIN)
  await site.write({ 'main.js': `${list}; export { text } from './post.md?narrate'` })
  expect((await site.build({ include: '*.md' }))['text']).toBe(TRAIN)
})
