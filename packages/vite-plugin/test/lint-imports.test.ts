import { expect, test } from 'vitest'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const POST = { 'post.md': 'The train leaves.' }

test.each([
  `new URL('./post.md?narrate', import.meta.url)`,
  'new URL(\n  `./post.md?voice_id=slt&narrate`,\n  import.meta.url,\n)',
])('%s fails the build with what to write instead', async (code) => {
  const site = await stage.site({ ...POST, 'main.js': `export default ${code}.href` })
  await expect(site.build()).rejects.toThrow(/main\.js: .*import post from '\.\/post\.md\?(voice_id=slt&)?narrate'/s)
  expect(stage.calls).toHaveLength(0)
})

test.each(['<audio src="./post.md?narrate"></audio>', `<audio><source src='post.md?narrate'></audio>`])(
  '%s in a page fails the build with what to write instead',
  async (html) => {
    const site = await stage.site({ ...POST, 'index.html': html })
    const building = site.build({}, { build: { rollupOptions: { input: `${site.root}/index.html` } } })
    await expect(building).rejects.toThrow(/index\.html: .*<audio data-narrate="(\.\/)?post\.md"/s)
    expect(stage.calls).toHaveLength(0)
  },
)

test('a Markdown page that quotes the call is accepted', async () => {
  const quote = "Do not write `new URL('./post.md?narrate', import.meta.url)`."
  const site = await stage.site({ ...POST, 'quote.md': quote, 'main.js': `export { default } from './quote.md'` })
  const markdown = {
    name: 'markdown',
    transform: (code: string, id: string) => (id.endsWith('.md') ? `export default ${JSON.stringify(code)}` : null),
  }
  expect((await site.build({}, { plugins: [markdown] }))['default']).toBe(quote)
})

test('an import of a page as text is accepted', async () => {
  const site = await stage.site({
    ...POST,
    'main.js': `
      // new URL('./post.md', import.meta.url) and ?narrate
      export default new URL('./post.md?url', import.meta.url).href`,
  })
  expect((await site.build())['default']).toMatch(/^data:text\/markdown/)
})

test('a marker that is not last is refused, since it has no type', async () => {
  const site = await stage.site({ ...POST, 'main.js': `export { default } from './post.md?narrate&voice_id=slt'` })
  await expect(site.build()).rejects.toThrow('must be the last parameter: ?voice_id=…&narrate')
  expect(stage.calls).toHaveLength(0)
})
