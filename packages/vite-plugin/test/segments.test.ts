import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { FORMATS } from '../src/audio/index.ts'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const POST = ['# The harbour', 'The boat leaves at nine.', 'It takes an hour.', '## Tickets', 'They are sold on board.']
const SITE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': POST.join('\n\n') }
const SPOKEN = ['The harbour.', 'The boat leaves at nine.', 'It takes an hour.', 'Tickets.', 'They are sold on board.']
const SPEECH_WAV = { response_format: 'wav' } as const

test('a page is spoken paragraph by paragraph, and a changed paragraph is one call', async () => {
  const site = await stage.site(SITE)
  // One at a time: of two calls at once, either may arrive first.
  const first = await site.buildOne({ concurrency: 1 })
  expect(stage.calls.map(({ input }) => input)).toEqual(SPOKEN)
  expect(first.characters).toBe(SPOKEN.join('').length)

  await site.write({ 'post.md': POST.with(2, 'It takes two hours.').join('\n\n') })
  const changed = await site.buildOne()
  expect(stage.calls.slice(SPOKEN.length).map(({ input }) => input)).toEqual(['It takes two hours.'])
  expect(changed.src).not.toBe(first.src)
})

test('moved paragraphs make no call', async () => {
  const site = await stage.site(SITE)
  await site.buildOne()
  await site.write({ 'post.md': [...POST.slice(3), ...POST.slice(0, 3)].join('\n\n') })
  await site.buildOne()
  expect(stage.calls).toHaveLength(SPOKEN.length)
})

test.each([
  ['sentence', ['A one. ', 'A two.', 'B.', 'C.']],
  ['paragraph', ['A one. A two.', 'B.', 'C.']],
  ['section', ['A one. A two.', 'B.\n\nC.']],
  ['page', ['A one. A two.\n\nB.\n\nC.']],
] as const)('segmentBy %s decides what one call speaks', async (segmentBy, inputs) => {
  const site = await stage.site({ ...SITE, 'post.md': 'A one. A two.\n\n# B\n\nC.' })
  await site.buildOne({ segmentBy, concurrency: 1 })
  expect(stage.calls.map(({ input }) => input.trim())).toEqual(inputs.map((input) => input.trim()))
})

test.each(['flac', 'wav', 'mp3', 'aac'] as const)(
  'captions and sections of %s are where the segments are',
  async (format) => {
    const site = await stage.site(SITE)
    const { src, captions, sections, durationSeconds = 0 } = await site.buildOne({ response_format: format })
    const vtt = String(await site.built(captions))
    const cues = [...vtt.matchAll(/(\S+) --> (\S+)\n(.+)/g)].map(([, start = '', end = '', text = '']) => {
      return { start: seconds(start), end: seconds(end), text }
    })
    expect(cues.map(({ text }) => text)).toEqual(SPOKEN)
    for (const [index, cue] of cues.entries()) {
      expect(cue.end).toBeGreaterThan(cue.start)
      expect(cue.start).toBeGreaterThanOrEqual(cues[index - 1]?.end ?? 0)
    }
    expect(cues.at(-1)?.end).toBeCloseTo(durationSeconds, 2)
    expect(FORMATS[format].seconds(await site.built(src))).toBe(durationSeconds)
    expect(sections.map(({ title, level, id }) => ({ title, level, id }))).toEqual([
      { title: 'The harbour', level: 1, id: 'the-harbour' },
      { title: 'Tickets', level: 2, id: 'tickets' },
    ])
    expect(sections[1]?.startSecond).toBeCloseTo(cues[3]?.start ?? 0, 2)
    expect(sections[0]?.endSecond).toBe(sections[1]?.startSecond)
    expect(sections[1]?.endSecond).toBe(durationSeconds)
  },
)

test('WAV and FLAC of a page are made of the same segments', async () => {
  const site = await stage.site(SITE)
  const flac = await site.buildOne()
  const wav = await site.buildOne({ response_format: 'wav' })
  expect(stage.calls).toHaveLength(SPOKEN.length)
  expect(flac.durationSeconds).toBe(wav.durationSeconds)
  expect(flac.bytes).toBeLessThan((wav.bytes ?? 0) * 0.8)
  expect(String(await site.built(flac.captions))).toBe(String(await site.built(wav.captions)))
})

test('the marking of the segments is in the joined file', async () => {
  const site = await stage.site(SITE, SPEECH_WAV)
  const { src } = await site.buildOne({ aigc_metadata: { enabled: true, content_propagator: 'the site' } })
  expect(stage.calls[0]?.aigc_metadata).toEqual({ enabled: true, content_propagator: 'the site' })
  // the scripted service writes none, so a file without one stays without one
  expect((await site.built(src)).includes('AIGC')).toBe(false)
})

test('an encoder makes the page from WAV segments', async () => {
  const site = await stage.site(SITE)
  const given: [number, string][] = []
  const encoder = async (wav: Uint8Array, format: string): Promise<Uint8Array> => {
    given.push([wav.byteLength, format])
    return readFile(new URL('../../testing/package.json', import.meta.url)).then(() => wav)
  }
  const { type, durationSeconds } = await site.buildOne({ encoder, response_format: 'wav' })
  expect(type).toBe('audio/wav')
  expect(durationSeconds).toBeGreaterThan(5)
  expect(given).toHaveLength(1)
  expect(new Set(stage.calls.map(({ response_format }) => response_format))).toEqual(new Set(['wav']))
  await site.buildOne({ encoder, response_format: 'wav' })
  expect(given).toHaveLength(1)
})

test('the error of a failed encoder names it, and the next build makes no call', async () => {
  const site = await stage.site(SITE)
  const encoder = (): Promise<Uint8Array> => Promise.reject(new Error('no libmp3lame'))
  await expect(site.build({ encoder })).rejects.toThrow('The encoder failed: no libmp3lame')
  await site.build({ response_format: 'wav' })
  expect(stage.calls).toHaveLength(SPOKEN.length)
})

test('an edited place in the JSON is ignored and makes no call', async () => {
  const site = await stage.site(SITE)
  const first = await site.buildOne()
  const before = String(await site.built(first.captions))
  for (const file of await site.list('node_modules/.cache/svc-audio')) {
    if (!file.endsWith('.json')) continue
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/"startSecond": 0\b/, '"startSecond": 7'))
  }
  const again = await site.buildOne()
  expect(String(await site.built(again.captions))).toBe(before)
  expect(stage.calls).toHaveLength(SPOKEN.length)
})

test('an import of the text alone makes no call and no asset', async () => {
  const site = await stage.site({ ...SITE, 'main.js': `export { text as default } from './post.md?narrate'` })
  expect((await site.build())['default']).toBe(SPOKEN.join('\n\n'))
  expect(stage.calls).toHaveLength(0)
  expect(await site.list('dist/assets')).toEqual([])
})

test('an empty draft has no audio, and the others have', async () => {
  const site = await stage.site({
    'main.js': `export default import.meta.glob('./*.md', { query: '?narrate', import: 'default', eager: true })`,
    'a.md': 'Text.',
    'draft.md': '---\ntags: [draft]\n---\n',
  })
  const found = (await site.build())['default'] as Record<string, Narration>
  expect(found['./draft.md']).toMatchObject({ src: '', captions: '', characters: 0 })
  expect(found['./a.md']?.src).toMatch(/^\/assets\/a-/)
})

function seconds(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
