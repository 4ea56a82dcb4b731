import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'
import { expect, test } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

test('a library names its audio beside its own files, and a consumer has it', async () => {
  const library = await stage.site({
    'main.js': `export { default } from './post.md?narrate'`,
    'post.md': 'The boat leaves.',
  })
  await build({
    root: library.root,
    configFile: false,
    logLevel: 'silent',
    plugins: [library.plugin()],
    build: { lib: { entry: `${library.root}/main.js`, formats: ['es'], fileName: 'main' } },
  })
  const entry = (await library.list('dist')).find((file) => /main\.m?js$/.test(file)) ?? ''
  const { default: own } = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as { default: Narration }
  for (const address of [own.src, own.captions]) expect(existsSync(fileURLToPath(address))).toBe(true)

  const consumer = await stage.site({ 'main.js': `export { default } from ${JSON.stringify(entry)}` })
  const used = (await consumer.buildWith([], { base: '/shop/', build: { assetsInlineLimit: 0 } }))[
    'default'
  ] as Narration
  const files = await consumer.list('dist')
  const name = used.src.split('/').at(-1) ?? ''
  expect(name).toMatch(/\.flac$/)
  expect(files.some((file) => file.endsWith(name))).toBe(true)
})
