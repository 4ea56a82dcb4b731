import { readFile } from 'node:fs/promises'
import { createLogger } from 'vite'
import { expect, test } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

type NarrationFor = (page: string) => Promise<Narration | undefined>

const stage = setUpStage()

const SITE = {
  'main.js': `export { narrationFor } from 'virtual:narrations/pages'`,
  'docs/index.md': '# Home',
  'docs/guide/harbour.md': 'The boat leaves.',
  'docs/drafts/a.md': 'Not yet.',
}

test('narrationFor finds the pages of a build by file and by route, each in a chunk without texts', async () => {
  const site = await stage.site(SITE)
  const built = await site.build({ pages: 'docs/**/*.md', exclude: 'docs/drafts/**' }, { base: '/site/' })
  const narrationFor = built['narrationFor'] as NarrationFor
  const harbour = await narrationFor('docs/guide/harbour.md')
  expect(harbour).toMatchObject({ src: expect.stringMatching(/^\/site\/assets\/harbour-.*\.\w+$/), characters: 16 })
  expect((await site.built(harbour?.src.replace('/site/', '') ?? '')).byteLength).toBe(harbour?.bytes)
  expect(await narrationFor('/site/guide/harbour.html')).toBe(harbour)
  expect((await narrationFor('/site/'))?.title).toBe('Home')
  expect(await narrationFor('/site/drafts/a')).toBeUndefined()
  expect(stage.calls.map(({ input }) => input).toSorted()).toEqual(['Home.', 'The boat leaves.'])
  const chunks = (await site.list('dist/assets')).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(chunks.map((file) => readFile(file, 'utf8')))
  expect(texts.filter((code) => code.includes('captions'))).toHaveLength(2)
  expect(texts.join('')).not.toContain('The boat leaves')
})

test('in dev narrationFor makes no call', async () => {
  const site = await stage.site(SITE)
  const { server } = await site.dev({ pages: ['docs/**/*.md', '!docs/drafts/**'] })
  const { narrationFor } = (await server.ssrLoadModule('/main.js')) as { narrationFor: NarrationFor }
  expect((await narrationFor('/guide/harbour'))?.src).toMatch(/^\//)
  expect(await narrationFor('/drafts/a')).toBeUndefined()
  expect(stage.calls).toEqual([])
})

test('the ids of the virtual modules resolve to themselves, as in the dev server of Nuxt', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev({ pages: 'docs/**/*.md' })
  const { pluginContainer } = dev.server.environments.ssr
  for (const id of ['\0virtual:narrations/pages', '\0virtual:narrations'])
    expect((await pluginContainer.resolveId(id))?.id).toBe(id)
  await dev.close()
})

test('without pages the error names the option', async () => {
  const site = await stage.site(SITE)
  await expect(site.build()).rejects.toThrow("the option pages is missing. Set it, for example to pages: '**/*.md'")
})

test.each([
  [{ pages: ['docs/**/*.md', 'blog/*.md', '!docs/drafts/**'] }, "pages: 'blog/*.md'"],
  [{ include: 'post/*.md' }, "include: 'post/*.md'"],
])('a glob that finds no file is told once, in a build and in dev: %o', async (options, glob) => {
  const [name] = Object.keys(options)
  const module = name === 'pages' ? SITE['main.js'] : `export { default } from 'virtual:narrations'`
  const site = await stage.site({ ...SITE, 'main.js': module })
  const warnings: string[] = []
  const customLogger = createLogger('warn')
  customLogger.warn = (message) => void warnings.push(message)
  await site.build(options, { customLogger })
  expect(warnings).toEqual([`narration: ${glob} finds no file in ${site.root}. Globs begin at Vite's root`])
  const { server } = await site.dev(options, { customLogger })
  await server.ssrLoadModule('/main.js')
  expect(warnings).toHaveLength(2)
})
