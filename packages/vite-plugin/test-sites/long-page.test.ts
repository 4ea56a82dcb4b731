import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { TestUpstream } from '@svc-audio/testing'
import { build, createLogger } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Site } from '../test/support/site.ts'
import { startSpeaker } from '../test-hosts/support/speaker.ts'

let upstream: TestUpstream
let site: Site
beforeAll(async () => {
  // Short audio: the work is that of many segments.
  upstream = await startSpeaker(600)
  const folder = await mkdtemp(join(tmpdir(), 'long-page-'))
  const service = { apiKey: upstream.apiKey, baseUrl: upstream.url }
  site = new Site(folder, () => ({ ...service, voice_id: 'rms', concurrency: 8, maxCharacters: 1_000_000 }))
})
afterAll(async () => {
  await rm(site.root, { recursive: true, force: true })
  await upstream.close()
})

/** A page of a length in characters, in paragraphs of 150. */
const pageOf = (characters: number): string =>
  Array.from({ length: characters / 150 }, (_, index) => `Paragraph ${index} ${'of a long page '.repeat(9)}ends.`).join(
    '\n\n',
  )

/** Builds a page. @returns the lines that were printed, and the processor time in seconds */
async function built(characters: number): Promise<{ readonly lines: string[]; readonly seconds: number }> {
  const lines: string[] = []
  const customLogger = createLogger('info')
  for (const level of ['info', 'warn'] as const) customLogger[level] = (line) => void lines.push(line)
  await site.write({ 'main.js': `export { default } from './post.md?narrate'`, 'post.md': pageOf(characters) })
  const { user, system } = process.cpuUsage()
  await build(site.config({ plugins: [site.plugin()], logLevel: 'info', customLogger }))
  const used = process.cpuUsage({ user, system })
  return { lines, seconds: (used.user + used.system) / 1e6 }
}

test('a page of 300,000 characters is announced, and takes as long for a character as a page of 60,000', async () => {
  const short = await built(60_000)
  const long = await built(300_000)
  expect(long.lines.join('\n')).toMatch(/narration: 1,\d{3} calls to make, 2\d\d,\d{3} characters/)
  // The bundler warns of slow plugins after three seconds. This time went into calls.
  expect(long.lines.join('\n')).not.toContain('PLUGIN_TIMINGS')
  // Its first fifth is cached. Work that grows with the square of the length would take 20 times as long.
  expect(long.seconds / short.seconds).toBeLessThan(10)
})
