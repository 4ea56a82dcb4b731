import { build, createLogger } from 'vite'
import { expect, test, vi } from 'vitest'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const PAGE = `<!doctype html>
<html lang="en"><head><title>News</title></head><body>
<audio data-narrate="./post.md?voice_id=slt" controls></audio>
<article data-narrate class="news"><h1>News</h1><p>The boat <b>leaves</b>.</p><pre>code</pre></article>
<script type="module">console.log('own')</script>
</body></html>`
const SITE = { 'index.html': PAGE, 'post.md': '---\ntitle: "A & B"\n---\nThree.' }

/** The input of a build: pages, without the player, which the test has not installed. */
const pages = (...input: string[]): object => ({
  rollupOptions: { input, external: ['@svc-audio/vite-plugin/player'] },
})

test.each(['/', '/docs/', './'])(
  'audio and article elements of a page are narrated under the base %s',
  async (base) => {
    const site = await stage.site(SITE)
    await site.write({ 'main.js': '' })
    await build(site.config({ base, plugins: [site.plugin()], build: pages(`${site.root}/index.html`) }))
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
  },
)

test('in dev the page has addresses too, and no call is made', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev()
  const html = await dev.server.transformIndexHtml('/index.html', PAGE)
  expect(html).toMatch(/<audio src="\/@narration\/[\da-f]{64}\.flac" preload="none" controls>/)
  expect(html).toMatch(/<narration-player .*src="\/@narration\/[\da-f]{64}\.flac"/)
  expect(stage.calls).toHaveLength(0)
})

test('in dev the addresses have the base once', async () => {
  const site = await stage.site(SITE)
  const dev = await site.dev({}, { base: '/docs/' })
  const html = await dev.server.transformIndexHtml('/index.html', PAGE)
  expect(html.match(/src="[^"]*@narration[^"]*"/g)).toHaveLength(4)
  for (const address of html.match(/src="[^"]*@narration/g) ?? []) expect(address).toBe('src="/docs/@narration')
})

test('the error of a missing source names it', async () => {
  const site = await stage.site({ 'index.html': '<audio data-narrate="./none.md"></audio>', 'main.js': '' })
  await expect(
    build(site.config({ plugins: [site.plugin()], build: pages(`${site.root}/index.html`) })),
  ).rejects.toThrow(/none\.md/)
})

test('an element without speakable text gives a warning', async () => {
  const site = await stage.site({ 'index.html': '<article data-narrate><pre>code</pre></article>', 'main.js': '' })
  const lines: string[] = []
  const customLogger = createLogger('warn')
  customLogger.warn = (message) => void lines.push(message)
  await build(
    site.config({ customLogger, logLevel: 'warn', plugins: [site.plugin()], build: pages(`${site.root}/index.html`) }),
  )
  expect(lines.join('\n')).toMatch(/index\.html has no text besides code and markup/)
})

test('a page in a folder has addresses relative to itself', async () => {
  const site = await stage.site({
    'docs/one/index.html': '<article data-narrate><p>Text.</p></article><audio data-narrate="/a.md"></audio>',
    'a.md': 'A.',
    'main.js': '',
  })
  await build(site.config({ base: './', plugins: [site.plugin()], build: pages(`${site.root}/docs/one/index.html`) }))
  const html = String(await site.built('docs/one/index.html'))
  expect(html.match(/src="[^"]*"/g)?.slice(0, 4)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^src="\.\.\/\.\.\/assets\/index-.*\.flac"/)]),
  )
  expect(html).toMatch(/src="\.\.\/\.\.\/assets\/a-.*\.flac"/)
})

test('a page whose narrations failed has no broken addresses', async () => {
  vi.stubEnv('SVC_AUDIO_API_KEY', '')
  const site = await stage.site({
    'index.html': '<audio data-narrate="./a.md" controls></audio><article data-narrate><p>B.</p></article>',
    'a.md': 'A.',
    'main.js': '',
  })
  await build(
    site.config({
      plugins: [site.plugin({ apiKey: undefined, onFailure: 'warn' })],
      build: pages(`${site.root}/index.html`),
    }),
  )
  const html = String(await site.built('index.html'))
  expect(html).not.toMatch(/__NARR|data-narr|src=""/)
})

test('a watched build updates the audio of a page', async () => {
  const site = await stage.site({
    'index.html': '<audio data-narrate="./a.md"></audio>',
    'a.md': 'A.',
    'main.js': '',
  })
  const watcher = await build(
    site.config({ plugins: [site.plugin()], build: { watch: {}, ...pages(`${site.root}/index.html`) } }),
  )
  if (!('on' in watcher)) throw new Error('not a watcher')
  const rounds: (() => void)[] = []
  watcher.on('event', async (event) => {
    if (event.code === 'ERROR') throw event.error
    if ('result' in event) await event.result.close()
    if (event.code === 'END') rounds.shift()?.()
  })
  const round = (): Promise<void> => new Promise((resolve) => rounds.push(resolve))
  try {
    await round()
    const before = String(await site.built('index.html'))
    const next = round()
    await site.write({ 'a.md': 'Something else.' })
    await next
    expect(stage.calls.map(({ input }) => input)).toEqual(['A.', 'Something else.'])
    expect(String(await site.built('index.html'))).not.toBe(before)
  } finally {
    await watcher.close()
  }
})
