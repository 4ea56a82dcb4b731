import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const POST = 'post.md?narrate'
const SITE = {
  'main.js': `
    import post from './${POST}'
    export default post
    import.meta.hot?.accept()`,
  'post.md': 'The first text.',
}

test('an edited text updates its importers, and the next load has another address', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  await dev.server.transformRequest('/main.js')
  const before = await dev.load(POST)

  const { client } = await dev.edit({ 'post.md': 'The second text.' })
  expect(client).toEqual([
    { type: 'update', updates: [expect.objectContaining({ path: '/main.js', acceptedPath: '/main.js' })] },
  ])
  const after = await dev.load(POST)
  expect(after.text).toBe('The second text.')
  expect(after.src).not.toBe(before.src)
  expect(stage.calls).toHaveLength(0)
})

test('the page reloads when no module accepts the update', async () => {
  const site = await stage.site({ ...SITE, 'main.js': `export { default } from './${POST}'` })
  const dev = await site.dev()
  await dev.server.transformRequest('/main.js')
  await dev.load(POST)
  const { client } = await dev.edit({ 'post.md': 'The second text.' })
  expect(client).toEqual([expect.objectContaining({ type: 'full-reload' })])
})

test('an edit without a change of the spoken text sends no update', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  await dev.server.transformRequest('/main.js')
  const before = await dev.load(POST)
  const { client } = await dev.edit({ 'post.md': '---\ntags: [new]\n---\nThe *first* text.\n\n```\ncode\n```\n' })
  expect(client).toEqual([])
  expect(await dev.load(POST)).toEqual(before)
})

test('other imports of the same file update as usual', async () => {
  const site = await stage.site({
    ...SITE,
    'main.js': `import './${POST}'; import './post.md?raw'; import.meta.hot?.accept()`,
  })
  const dev = await site.dev()
  await dev.server.transformRequest('/main.js')
  await dev.load(POST)
  await dev.load('post.md?raw')
  const { client } = await dev.edit({ 'post.md': '*The first text.*' })
  expect(client).toEqual([{ type: 'update', updates: [expect.objectContaining({ path: '/main.js' })] }])
})

test('a text outside of the root is read again after one save, also through a linked package', async () => {
  const shared = await stage.site({ 'guide.md': 'The first text.', 'package.json': '{ "name": "content" }' })
  const site = await stage.site({
    'main.js': `import guide from 'content/guide.md?narrate'\nexport default guide\nimport.meta.hot?.accept()`,
  })
  await mkdir(join(site.root, 'node_modules'))
  await symlink(shared.root, join(site.root, 'node_modules/content'))
  const dev = await site.dev({}, { server: { watch: {}, fs: { allow: [site.root, shared.root] } } })
  const load = async (): Promise<number> => {
    const loaded = (await dev.server.ssrLoadModule('/main.js')) as { default: Narration }
    return loaded.default.characters
  }
  expect(await load()).toBe('The first text.'.length)
  await shared.write({ 'guide.md': 'The second text.' })
  await expect.poll(load).toBe('The second text.'.length)
})

test('server rendering has the edited text', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  await dev.server.ssrLoadModule('/main.js')
  await dev.edit({ 'post.md': 'The second text.' })
  const rendered = (await dev.server.ssrLoadModule('/main.js')) as { default: Narration }
  expect(rendered.default.characters).toBe('The second text.'.length)
})

test('an emptied page has no narration until it has text again', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  await dev.server.transformRequest('/main.js')
  const before = await dev.load(POST)
  await dev.edit({ 'post.md': '' })
  expect(await dev.load(POST)).toMatchObject({ src: '', text: '', captions: '' })
  const { client } = await dev.edit({ 'post.md': 'The first text.' })
  expect(client).toHaveLength(1)
  expect(await dev.load(POST)).toEqual(before)
})

test('new audio in a cache inside the site is no edit', async () => {
  const site = await stage.site(SITE, { cacheDir: 'narrations (old)', response_format: 'wav' })
  const dev = await site.dev({}, { server: { watch: { ignored: ['**/drafts/**'] } } })
  const { ignored } = dev.server.config.server.watch ?? {}
  expect(ignored).toEqual(['**/drafts/**', expect.stringMatching(/\/narrations \\\(old\\\)\/\*\*$/)])
})

const FIRST = 'The first text.'
const SECOND = 'The second, longer text.'

test.each([
  {
    layout: 'a package of a pnpm workspace',
    files: {
      'pnpm-workspace.yaml': 'packages: [apps/*, packages/*]\n',
      'apps/site/main.js': `import post from 'content/guide.md?narrate'\nexport default post\nimport.meta.hot?.accept()`,
      'packages/content/package.json': '{ "name": "content" }',
    },
    text: 'packages/content/guide.md',
    root: 'apps/site',
    link: ['packages/content', 'apps/site/node_modules/content'],
  },
  {
    layout: "Nuxt's ../content",
    files: {
      'package.json': '{ "workspaces": [] }',
      'app/main.js': `import { narrationFor } from 'virtual:narrations/pages'
export default await narrationFor('/guide')
import.meta.hot?.accept()`,
    },
    text: 'content/guide.md',
    root: 'app',
    options: { pages: '../content/**/*.md' },
  },
])('in $layout, an edit is heard after one save', async ({ files, text, root, link, options }) => {
  const outer = await stage.site({ ...files, [text]: FIRST })
  if (link !== undefined) {
    const [from = '', to = ''] = link.map((path) => join(outer.root, path))
    await mkdir(join(to, '..'), { recursive: true })
    await symlink(from, to)
  }
  const site = outer.below(root)
  const dev = await site.dev(options, { server: { watch: {} } })
  const load = async (): Promise<Narration> =>
    ((await dev.server.ssrLoadModule('/main.js')) as { default: Narration }).default
  const first = await load()
  expect(first.characters).toBe(FIRST.length)
  await outer.write({ [text]: SECOND })
  await expect.poll(async () => (await load()).characters).toBe(SECOND.length)
  const { src } = await load()
  expect(src).not.toBe(first.src)
  expect((await fetch(new URL(src, dev.url))).status).toBe(200)
  expect(stage.calls.map(({ input }) => input)).toEqual([SECOND])
})
