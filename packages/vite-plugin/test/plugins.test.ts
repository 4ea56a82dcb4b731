import { join } from 'node:path'
import { build, type Plugin } from 'vite'
import { expect, test } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const ONE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': 'The *train* leaves.' }

/** A Markdown plugin like those of frameworks: it takes every id that ends in `.md`, with or without a query. */
function markdownPlugin(enforce: 'pre' | undefined): Plugin {
  const plugin: Plugin = {
    name: 'markdown',
    load: { order: 'pre', handler: (id) => (/\.md(?:\?|$)/.test(id) ? 'export default "page"' : undefined) },
    transform: { order: 'pre', handler: (_, id) => (/\.md(?:\?|$)/.test(id) ? 'export default "page"' : undefined) },
  }
  return enforce === undefined ? plugin : { ...plugin, enforce }
}

test.each([
  ['before', 'pre'],
  ['behind', undefined],
] as const)('a Markdown plugin %s this one does not take its modules', async (_, enforce) => {
  const site = await stage.site(ONE)
  await build(site.config({ plugins: [markdownPlugin(enforce), site.plugin()] }))
  const { default: post } = (await site.exports()) as { default: Narration }
  expect(post).toMatchObject({ src: expect.stringMatching(/^\/assets\/post-.*\.flac$/) })
})

test('a Markdown plugin does not take its modules in dev', async () => {
  const site = await stage.site(ONE)
  const dev = await site.dev({}, { plugins: [markdownPlugin('pre')] })
  const { default: post } = (await dev.server.ssrLoadModule('/main.js')) as { default: Narration }
  expect(post.characters).toBe('The train leaves.'.length)
})

test('aliases and packages resolve as in any import', async () => {
  const site = await stage.site({
    'main.js': `export { text as a } from '@posts/a.md?narrate'; export { text as b } from 'texts/b.md?narrate'`,
    'posts/a.md': 'One.',
    'node_modules/texts/package.json': '{ "name": "texts" }',
    'node_modules/texts/b.md': 'Two.',
  })
  const exports = await site.build({}, { resolve: { alias: { '@posts': join(site.root, 'posts') } } })
  expect(exports).toMatchObject({ a: 'One.', b: 'Two.' })
})
