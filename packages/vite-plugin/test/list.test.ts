import { readFile } from 'node:fs/promises'
import { build } from 'vite'
import { expect, test } from 'vitest'
import type { ListedNarration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const SITE = {
  'main.js': `export { default } from 'virtual:narrations'`,
  'posts/b.md': 'Two.',
  'posts/a.md': '# First\n\nOne.',
  'posts/drafts/c.md': 'Three.',
}

const MAIN = { 'main.js': SITE['main.js'] }
const files = (list: unknown): string[] => (list as ListedNarration[]).map(({ file }) => file)

test('virtual:narrations lists the files of include in order', async () => {
  const site = await stage.site(SITE)
  const options = { include: './posts/**/*.md', exclude: 'posts/drafts/**' }
  const list = (await site.build(options))['default'] as ListedNarration[]
  expect(list.map(({ file, title, characters }) => ({ file, title, characters }))).toEqual([
    { file: 'posts/a.md', title: 'First', characters: 10 },
    { file: 'posts/b.md', title: undefined, characters: 4 },
  ])
  for (const { src, bytes } of list) expect((await site.built(src)).byteLength).toBe(bytes)
  const dev = await site.dev(options)
  const { default: shown } = (await dev.server.ssrLoadModule('/main.js')) as { default: ListedNarration[] }
  expect(shown.map(({ file }) => file)).toEqual(['posts/a.md', 'posts/b.md'])
})

test('without include the error names the option', async () => {
  const site = await stage.site(SITE)
  await expect(site.build()).rejects.toThrow(
    "the option include is missing. Set it, for example to include: 'posts/*.md'",
  )
})

test("emit 'copy' writes the same audio beside the bundle", async () => {
  const main = { 'main.js': `export { default } from './posts/a.md?narrate'` }
  const site = await stage.site({ ...SITE, ...main })
  const bundled = await site.buildOne({ emit: 'bundle' })
  const audio = await site.built(bundled.src)
  const copied = await site.buildOne(
    { emit: 'copy' },
    { base: '/docs/', build: { outDir: 'copied', manifest: 'm.json' } },
  )
  expect(copied).toMatchObject({ bytes: audio.byteLength, durationSeconds: bundled.durationSeconds })
  expect(copied.src).toMatch(/^\/docs\/assets\/a-[\w-]+\.flac$/)
  expect(await site.built(copied.src.replace('/docs/', ''), 'copied')).toEqual(audio)
  expect(await readFile(`${site.root}/copied/m.json`, 'utf8')).toContain(copied.src.replace('/docs/', ''))
})

test('a build that writes no files has the audio in its bundle', async () => {
  const site = await stage.site({ ...SITE, 'main.js': `export { default } from './posts/a.md?narrate'` })
  const written = await site.buildOne()
  const audio = await site.built(written.src)
  const result = await build(site.config({ plugins: [site.plugin({ emit: 'copy' })], build: { write: false } }))
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []))
  const asset = outputs.find(({ fileName }) => fileName.endsWith('.flac'))
  expect(asset?.type === 'asset' && Buffer.from(asset.source)).toEqual(audio)
})

test('renderBuiltUrl sets the address', async () => {
  const site = await stage.site({ ...SITE, 'main.js': `export { default } from './posts/a.md?narrate'` })
  const renderBuiltUrl = (name: string): string => `https://cdn.example/${name}`
  const { src, captions } = await site.buildOne({}, { experimental: { renderBuiltUrl } })
  expect([src, captions]).toEqual([
    expect.stringMatching(/^https:\/\/cdn\.example\/assets\/a-[\w-]+\.flac$/),
    expect.stringMatching(/^https:\/\/cdn\.example\/assets\/a-[\w-]+\.vtt$/),
  ])
})

test('a glob of include that begins with ! excludes', async () => {
  const site = await stage.site({ ...MAIN, 'posts/a.md': 'A.', 'posts/b.md': 'B.' })
  expect(files((await site.build({ include: ['posts/*.md', '!posts/b.md'] }))['default'])).toEqual(['posts/a.md'])
  expect(stage.calls.map(({ input }) => input)).toEqual(['A.'])
})

test('include may name files outside of the root', async () => {
  const site = await stage.site({ 'app/main.js': SITE['main.js'], 'content/a.md': 'A.' })
  const root = `${site.root}/app`
  const plugins = [site.plugin({ include: '../content/*.md' })]
  await build(site.config({ root, plugins, build: { outDir: '../dist', rollupOptions: { input: `${root}/main.js` } } }))
  expect(files((await site.exports())['default'])).toEqual(['../content/a.md'])
})

test('in dev a new file joins the list', async () => {
  const site = await stage.site({ ...MAIN, 'posts/a.md': 'A.' })
  const dev = await site.dev({ include: 'posts/*.md' })
  expect(files(((await dev.server.ssrLoadModule('/main.js')) as { default: unknown }).default)).toEqual(['posts/a.md'])
  await site.write({ 'posts/b.md': 'B.' })
  dev.server.watcher.emit('add', `${site.root}/posts/b.md`)
  await expect
    .poll(async () => files(((await dev.server.ssrLoadModule('/main.js')) as { default: unknown }).default))
    .toEqual(['posts/a.md', 'posts/b.md'])
})
