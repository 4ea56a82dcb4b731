import { status } from '@svc-audio/testing'
import { expect, test, vi } from 'vitest'
import { createLogger } from 'vite'
import type { Narration } from '../src/index.ts'
import { setUpStage, SPEECH } from './support/stage.ts'

const stage = setUpStage()

const SITE = {
  'main.js': `
    export { default as a } from './a.md?narrate'
    export { default as b } from './b.md?narrate'`,
  'a.md': '# One\n\nTwo.',
  'b.md': 'Three.',
}

/** A logger that collects its lines. */
function listener(): { readonly config: object; readonly lines: string[] } {
  const lines: string[] = []
  const customLogger = createLogger('info')
  for (const level of ['info', 'warn'] as const) customLogger[level] = (message) => void lines.push(message)
  return { config: { logLevel: 'info', customLogger }, lines }
}

test('cache-only makes no call and fails with the file and text of a missing segment', async () => {
  const site = await stage.site(SITE)
  await expect(site.build({ mode: 'cache-only' })).rejects.toThrow(
    /(a|b)\.md cannot be narrated: The cache has no audio of “(One|Two|Three)\.”.*mode: 'auto'/,
  )
  expect(stage.calls).toHaveLength(0)
  const made = await site.build()
  expect(await site.build({ mode: 'cache-only' })).toEqual(made)
})

test('dry-run prints calls, characters and price of each page, and makes no call', async () => {
  const site = await stage.site(SITE)
  const { config, lines } = listener()
  const { a } = await site.build({ mode: 'dry-run', pricePerMillion: 15 }, config)
  expect(stage.calls).toHaveLength(0)
  expect(a).toMatchObject({ src: '', captions: '', durationSeconds: undefined })
  expect(lines).toContain('narration: 2 pages, 3 calls, 14 characters, cost 0.0002')
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}a\.md +planned {2}2 calls, 8 characters {2}0\.0001$/))
})

test('without a key the error is the only line of a build, and warn announces no calls', async () => {
  vi.stubEnv('SVC_AUDIO_API_KEY', '')
  const site = await stage.site(SITE)
  const strict = listener()
  await expect(site.build({ apiKey: undefined }, strict.config)).rejects.toThrow(
    /[ab]\.md cannot be narrated: apiKey is missing: pass it to narration\(\), or set SVC_AUDIO_API_KEY in /,
  )
  expect(strict.lines.filter((line) => line.includes('narration'))).toEqual([])
  const lenient = listener()
  expect((await site.build({ apiKey: undefined, onFailure: 'warn' }, lenient.config))['a']).toMatchObject({ src: '' })
  expect(lenient.lines.filter((line) => line.includes('to make'))).toEqual([])
  expect(lenient.lines.filter((line) => line.includes('apiKey is missing'))).toHaveLength(2)
  // Modes without calls need no key.
  await site.build({ apiKey: undefined, mode: 'dry-run' })
  await expect(site.build({ apiKey: undefined, mode: 'cache-only' })).rejects.toThrow('The cache has no audio of')
})

test('refresh makes each segment again, once', async () => {
  const site = await stage.site(SITE)
  await site.build()
  await site.build({ mode: 'refresh' })
  expect(stage.calls).toHaveLength(6)
})

test('more characters than maxCharacters fail the build before the first call', async () => {
  const site = await stage.site(SITE)
  await expect(site.build({ maxCharacters: 13 })).rejects.toThrow(
    'maxCharacters is 13, and this build would send 14 characters in 3 calls',
  )
  expect(stage.calls).toHaveLength(0)
  await site.build({ maxCharacters: 14 })
  // Cached segments do not count.
  await site.build({ maxCharacters: 1 })
  expect(stage.calls).toHaveLength(3)
})

test('warn builds without the failed audio', async () => {
  const site = await stage.site(SITE)
  stage.upstream.on(SPEECH, status(503, { error: { message: 'down' } }))
  const { config, lines } = listener()
  const { a, b } = await site.build({ onFailure: 'warn' }, config)
  expect([a, b]).toEqual([
    expect.objectContaining({ src: '', captions: '' }),
    expect.objectContaining({ src: '', captions: '' }),
  ])
  expect(lines.filter((line) => /cannot be narrated: .*; it has no audio$/.test(line))).toHaveLength(2)
})

test('error fails the build, and finished segments need no second call', async () => {
  const site = await stage.site(SITE)
  stage.upstream.next(SPEECH, stage.speaks, stage.speaks)
  stage.upstream.on(SPEECH, status(400, { error: { message: 'no' } }))
  await expect(site.build({ concurrency: 1 })).rejects.toThrow(/(a|b)\.md cannot be narrated/)
  const before = stage.calls.length
  stage.upstream.on(SPEECH, stage.speaks)
  await site.build()
  expect(stage.calls.length - before).toBe(1)
})

test('the next build makes audio that warn omitted', async () => {
  const site = await stage.site(SITE)
  stage.upstream.on(SPEECH, status(503, { error: { message: 'down' } }))
  await site.build({ onFailure: 'warn' })
  stage.upstream.on(SPEECH, stage.speaks)
  const { a, b } = (await site.build({ onFailure: 'warn' })) as { a: Narration; b: Narration }
  expect([a.type, b.type]).toEqual(['audio/flac', 'audio/flac'])
  expect(a.src).toMatch(/\.flac$/)
  expect(b.src).toMatch(/\.flac$/)
})

test('stale uses the last audio of the page, with its captions', async () => {
  const site = await stage.site(SITE)
  const { a } = (await site.build()) as { a: Narration }
  const captions = String(await site.built(a.captions))
  const made = await site.built(a.src)
  await site.write({ 'a.md': '# One\n\nSomething else.', 'c.md': 'New.' })
  stage.upstream.on(SPEECH, status(503, { error: { message: 'down' } }))
  const { config, lines } = listener()
  const stale = (await site.build({ onFailure: 'stale' }, config)) as { a: Narration; b: Narration }
  expect(await site.built(stale.a.src)).toEqual(made)
  expect(String(await site.built(stale.a.captions))).toBe(captions)
  expect(stale.b.src).not.toBe('')
  expect(lines).toContainEqual(expect.stringContaining('its last audio is used'))
})

test('a page that the service refuses does not affect other pages', async () => {
  const site = await stage.site(SITE)
  stage.upstream.next(SPEECH, status(400, { error: { code: 'invalid_input', message: 'no' } }))
  const { a, b } = (await site.build({ onFailure: 'warn', concurrency: 1 })) as { a: Narration; b: Narration }
  expect([a.src, b.src].filter((src) => src === '')).toHaveLength(1)
})

test('the closing table lists each page once over all environments', async () => {
  const site = await stage.site(SITE)
  const first = listener()
  await site.build({}, first.config)
  expect(first.lines).toContain('narration: 3 calls to make, 14 characters')
  expect(first.lines).toContain('narration: 2 pages, 3 calls, 14 characters')
  expect(first.lines).toContainEqual(
    expect.stringMatching(/^ {2}a\.md {2}0:0\d {2}new {2}2 calls, 8 characters +\d+\.\d kB$/),
  )
  const second = listener()
  await site.build({}, second.config)
  expect(second.lines).toContain('narration: 2 pages, 0 calls, 0 characters; 3 calls are free, the cache has them')
  expect(second.lines).toContainEqual(expect.stringMatching(/^ {2}b\.md {2}0:0\d {2}cached/))
})
