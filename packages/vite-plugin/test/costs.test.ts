import { build, createLogger, type LogLevel } from 'vite'
import { status } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { setUpStage, SPEECH } from './support/stage.ts'

const stage = setUpStage()

const SITE = {
  'main.js': `export { default as a } from './a.md?narrate'; export { default as b } from './b.md?narrate'`,
  'a.md': '# One\n\nTwo.',
  'b.md': 'Three.',
}

/** Progress: a line every few seconds, so on a slow machine only. */
const PROGRESS = / of [\d,]+ calls?, /

/** A logger whose lines are collected, as a framework hands one to Vite. */
function listener(logLevel: LogLevel): { readonly config: object; readonly lines: string[] } {
  const lines: string[] = []
  const customLogger = createLogger('info')
  for (const level of ['info', 'warn', 'error'] as const) {
    customLogger[level] = (message) => {
      if (message.includes('narration:') && !PROGRESS.test(message)) lines.push(`${level}: ${message}`)
    }
  }
  return { config: { logLevel, customLogger }, lines }
}

test.each(['info', 'warn', 'error'] as const)(
  'calls and their total are printed at the log level %s',
  async (level) => {
    const site = await stage.site(SITE)
    const first = listener(level)
    await site.build({}, first.config)
    expect(first.lines).toEqual([
      `${level}: narration: 3 calls to make, 14 characters`,
      `${level}: narration: 2 pages, 3 calls, 14 characters`,
    ])
    const second = listener(level)
    await site.build({}, second.config)
    // A build without calls costs nothing.
    expect(second.lines).toEqual([
      'info: narration: 2 pages, 0 calls, 0 characters; 3 calls are free, the cache has them',
    ])
  },
)

test.each(['info', 'warn', 'error'] as const)('a dry run prints its total at the log level %s', async (level) => {
  const site = await stage.site(SITE)
  const { config, lines } = listener(level)
  await site.build({ mode: 'dry-run', pricePerMillion: 15 }, config)
  expect(lines).toEqual([`${level}: narration: 2 pages, 3 calls, 14 characters, cost 0.0002`])
})

test('builds of the client and the server at the same time announce and list their calls once', async () => {
  const site = await stage.site(SITE)
  const { config, lines } = listener('warn')
  const plugins = [site.plugin()]
  const held = stage.hold()
  const both = Promise.all(
    ['client', 'server'].map((outDir) =>
      build(site.config({ plugins, ...config, build: { outDir, ssr: outDir === 'server' } })),
    ),
  )
  await stage.called(2)
  held.release()
  await both
  expect(stage.calls).toHaveLength(3)
  expect(lines).toEqual([
    'warn: narration: 3 calls to make, 14 characters',
    'warn: narration: 2 pages, 3 calls, 14 characters',
  ])
})

test('a large first build without maxCharacters makes no call and asks for it', async () => {
  const page = Array.from({ length: 600 }, (_, index) => `Paragraph ${index} ${'of a long page '.repeat(6)}.`)
  const site = await stage.site({ 'main.js': `export { default } from './a.md?narrate'`, 'a.md': page.join('\n\n') })
  await expect(site.build()).rejects.toThrow(
    /maxCharacters is missing, and this build would send \d+ characters in 600/,
  )
  expect(stage.calls).toHaveLength(0)
})

test('an account without credit fails the build with the remedy', async () => {
  const site = await stage.site(SITE)
  stage.upstream.on(SPEECH, status(402, { error: { message: 'payment required' } }))
  await expect(site.build()).rejects.toThrow(/add credit, or use another apiKey/)
})
