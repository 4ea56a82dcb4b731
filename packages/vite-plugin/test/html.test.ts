import { expect, test } from 'vitest'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const PAGE = `<!doctype html>
<html lang="en"><head><title>News</title></head><body>
<audio data-narrate="./post.md?voice=slt" controls></audio>
<article data-narrate class="news"><h1>News</h1><p>The boat <b>leaves</b>.</p><pre>code</pre></article>
<script type="module">console.log('own')</script>
</body></html>`
const SITE = { 'index.html': PAGE, 'post.md': '---\ntitle: "A & B"\n---\nThree.' }

/** A build of the page, without the player, which the test has not installed. */
const input = (root: string): object => ({
  build: { rollupOptions: { input: `${root}/index.html`, external: ['@svc-audio/vite-plugin/player'] } },
})

test.each(['/', '/docs/', './'])('audio and articles of a page are narrated, under the base %s', async (base) => {
  const site = await stage.site(SITE)
  await site.write({ 'main.js': '' })
  const { build } = await import('vite')
  await build(site.config({ base, plugins: [site.plugin()], ...input(site.root) }))
  const html = String(await site.built('index.html'))
  const path = base.replaceAll('/', String.raw`\/`).replace('.', String.raw`\.`)
  expect(html).toMatch(
    new RegExp(
      `<audio src="${path}assets\\/post-[\\w-]+\\.flac" preload="none" controls><track kind="captions" src="${path}assets\\/post-[\\w-]+\\.vtt" default>`,
    ),
  )
  expect(html).toMatch(
    new RegExp(
      `<narration-player for="narrated-2" label="News"><audio controls preload="none" src="${path}assets\\/index-[\\w-]+\\.flac">`,
    ),
  )
  expect(html).toContain('<article id="narrated-2" class="news"><h1>News</h1>')
  expect(html).not.toContain('__NARRATION')
  expect(stage.calls.map(({ input: text, voice_id }) => `${voice_id}: ${text}`).toSorted()).toEqual([
    'rms: News.',
    'rms: The boat leaves.',
    'slt: A & B.',
    'slt: Three.',
  ])
})

test('in dev the page has addresses too, and no call is made', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  const html = await dev.server.transformIndexHtml('/index.html', PAGE)
  expect(html).toMatch(/<audio src="\/@narration\/[\da-f]{64}\.flac" preload="none" controls>/)
  expect(html).toMatch(/<narration-player .*src="\/@narration\/[\da-f]{64}\.flac"/)
  expect(stage.calls).toHaveLength(0)
})

test('in dev the base is put before the addresses once', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev({}, { base: '/docs/' })
  const html = await dev.server.transformIndexHtml('/index.html', PAGE)
  expect(html.match(/src="[^"]*@narration[^"]*"/g)).toHaveLength(4)
  for (const address of html.match(/src="[^"]*@narration/g) ?? []) expect(address).toBe('src="/docs/@narration')
})

test('a page names the source that is missing', async () => {
  const site = await stage.site({ 'index.html': '<audio data-narrate="./none.md"></audio>', 'main.js': '' })
  const { build } = await import('vite')
  await expect(build(site.config({ plugins: [site.plugin()], ...input(site.root) }))).rejects.toThrow(/none\.md/)
})
