import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningService, startService } from '@svc-audio/service'
import type { TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSpeaker } from '../test-hosts/support/speaker.ts'
import { type SiteBuild, WholeSite } from './support/whole-site.ts'

const KEY = 'whole-site'
/** `service`: the real service speaks the site, for an hour or more. Otherwise a stand-in makes silence of the same length. */
const SPEECH = process.env['SITE_SPEECH'] ?? 'silence'

describe(`a site of 308 pages, spoken as ${SPEECH}`, () => {
  let site: WholeSite
  let built: SiteBuild
  let speaker: TestUpstream | undefined
  let service: RunningService | undefined
  let dataDir: string
  let env: Readonly<Record<string, string>>
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'whole-site-'))
    if (SPEECH === 'service') {
      service = await startService({ dataDir, port: 0, apiKeys: new Map([[KEY, 'tenant']]), logLevel: 'silent' })
      env = { SVC_AUDIO_API_KEY: KEY, SVC_AUDIO_BASE_URL: service.url }
    } else {
      speaker = await startSpeaker(15)
      env = { SVC_AUDIO_API_KEY: speaker.apiKey, SVC_AUDIO_BASE_URL: speaker.url }
    }
    site = await WholeSite.create()
    built = await site.build(env)
    console.log(
      built.printed
        .split('\n')
        .filter((line) => line.startsWith('narration: '))
        .join('\n'),
    )
    const audio = [...(await site.assets('.mp3')).values()].reduce((sum, { length }) => sum + length, 0)
    console.log(
      `${(audio / 1e6).toFixed(1)} MB in ${built.seconds.toFixed(0)} s, with ${built.megabytes.toFixed(0)} MB of memory`,
    )
  }, 3 * 3_600_000)
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
    await service?.close()
    await speaker?.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** The hashes in the names of the audio. A file that pages share has the name of the first of them to be made. */
  const contents = async (): Promise<string[]> =>
    [...(await site.assets('.mp3')).keys()].map((name) => name.slice(-'12345678.mp3'.length)).toSorted()

  test('is narrated whole: the total is printed, and each page has audio and captions', async () => {
    expect(built.pages).toBe(308)
    expect(built.calls).toBeGreaterThan(5000)
    expect(built.characters).toBeGreaterThan(500_000)
    // Pages whose silence has the same length share a file.
    expect(built.printed.match(/^ {2}docs\/.+ kB$/gm)).toHaveLength(308)
    expect((await site.assets('.vtt')).size).toBe(308)
  })

  test('takes less memory than its audio', async () => {
    expect(built.megabytes).toBeLessThan(700)
  })

  test('a file over the usual limit of a precache is never left unsaid', async () => {
    const large = [...(await site.assets('.mp3')).values()].filter(({ length }) => length > 2 * 1024 * 1024)
    const said = /narration: (\d+) files? over 2 MiB/.exec(built.printed)?.[1] ?? '0'
    expect(Number(said)).toBe(large.length)
  })

  test('has no cue of more than two lines of 42 characters or 7 seconds', async () => {
    const cues = [...(await site.cues())].flatMap(([name, list]) => list.map((cue) => ({ name, ...cue })))
    expect(cues.length).toBeGreaterThan(10_000)
    const tooLong = cues.filter(
      ({ lines, startSecond, endSecond }) =>
        lines.length > 2 || lines.some((line) => line.length > 42) || endSecond - startSecond > 7.0005,
    )
    expect(tooLong).toEqual([])
  })

  test('a second build makes no call and the same files', async () => {
    const before = await contents()
    const again = await site.build({})
    expect(again.printed).not.toMatch(/narration: .* calls/)
    expect(await contents()).toEqual(before)
  })
})
