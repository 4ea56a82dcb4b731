import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wavOf } from '@svc-audio/kit/hosts/audio-files'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Place } from '../audio/index.ts'
import { type NarrationScript, pageKey, pieceKey, type VoiceSettings } from '../script.ts'
import { WarmNotes } from '../warm-notes.ts'
import { NarrationCache, parseFileName } from './cache.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'narration-store-'))
  // Ages of files do not depend on the speed of the machine.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now())
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})

const KEY = 'ab'.repeat(32)
const WAV = wavOf(Array<number>(1600).fill(700))
const OTHER = wavOf(Array<number>(3200).fill(300))
const notes = (): WarmNotes => new WarmNotes(join(folder, 'vite', 'notes.json'), 'v')
const cacheIn = (): NarrationCache => new NarrationCache(join(folder, 'cache'), notes())
const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ name }) => name)

async function entriesOf(cache: NarrationCache): Promise<(readonly [string, Readonly<Record<string, unknown>>])[]> {
  const entries: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  for await (const entry of cache.entries()) entries.push(entry)
  return entries
}

describe('the cache', () => {
  test('audio is read as it was written, by key and format', async () => {
    const cache = cacheIn()
    expect(await cache.read(KEY, 'wav')).toBeUndefined()
    const written = await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, { source: 'a.md' })
    const read = await cache.read(KEY, 'wav')
    expect(read?.audio()).toEqual(Buffer.from(WAV))
    expect(read).toMatchObject({ bytes: WAV.byteLength, durationSeconds: 0.1, sha256: hash('sha256', WAV) })
    expect(written).toMatchObject({ sha256: read?.sha256, bytes: read?.bytes, places: undefined })
    expect(await cache.read(KEY, 'mp3')).toBeUndefined()
    expect((await files()).toSorted()).toEqual([`${KEY}.json`, `${KEY}.wav`])
  })

  test('audio whose length cannot be read is absent, though its sum is right', async () => {
    const cache = cacheIn()
    await cache.write(KEY, 'wav', { audio: new TextEncoder().encode('no audio'), durationSeconds: 1 }, {})
    expect(await cache.read(KEY, 'wav')).toBeUndefined()
  })

  test('an entry is replaced as a whole, and removed in all its formats', async () => {
    const cache = cacheIn()
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})
    await cache.write(KEY, 'wav', { audio: OTHER, durationSeconds: 0.2 }, {})
    expect((await cache.read(KEY, 'wav'))?.durationSeconds).toBe(0.2)
    await writeFile(cache.path(KEY, 'flac'), 'x')
    await cache.remove(KEY)
    expect(await files()).toEqual([])
    await cache.remove(KEY)
  })

  test('entries are the readable JSON files named by a key', async () => {
    const cache = cacheIn()
    expect(await entriesOf(cache)).toEqual([])
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, { source: 'a.md' })
    await writeFile(cache.path('cd'.repeat(32), 'json').replace(/cd.cdcd/, 'ab/cdcd'), '{"sha256":')
    await writeFile(join(cache.folder, 'ab', 'notes.json'), '{"sha256":"x"}')
    expect(await entriesOf(cache)).toEqual([[KEY, { source: 'a.md' }]])
  })

  test('a folder that cannot be written is an error, and leaves no part of a file', async () => {
    const cache = cacheIn()
    await mkdir(cache.path(KEY, 'wav'), { recursive: true })
    await expect(cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})).rejects.toThrow(/EISDIR|rename/)
    expect(await files()).toEqual([])
  })

  test('known audio is not read again until a file changes', async () => {
    const noted = notes()
    const cache = new NarrationCache(join(folder, 'cache'), noted)
    const name = `audio ${cache.folder} ${KEY}.wav`
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, { source: 'a.md' })
    // A file that was just written might change again within the precision of its times.
    const now = Date.now()
    expect((await cache.known(KEY, 'wav'))?.durationSeconds).toBe(0.1)
    expect(noted.get(name)).toBeUndefined()
    vi.spyOn(Date, 'now').mockReturnValue(now + 60_000)
    await cache.known(KEY, 'wav')
    const places = [{ startSecond: 0, endSecond: 1, text: 'further fields are dropped' }]
    noted.set(name, { ...Object(noted.get(name)), durationSeconds: 77, places })
    const known = await cache.known(KEY, 'wav')
    expect(known).toMatchObject({ bytes: WAV.byteLength, durationSeconds: 77 })
    expect(known?.places).toEqual([{ startSecond: 0, endSecond: 1 }])
    expect(known?.audio()).toEqual(Buffer.from(WAV))
    await writeFile(cache.path(KEY, 'wav'), OTHER)
    expect(await cache.known(KEY, 'wav')).toBeUndefined()
  })

  test.each([
    [undefined],
    [{}],
    ['[]'],
    [[null]],
    [[7]],
    [[{ startSecond: 0 }]],
    [[{ startSecond: 0, endSecond: null }]],
    [[{ startSecond: 0, endSecond: 1 }, {}]],
  ])('places of a note that are %o are none', async (places) => {
    const noted = notes()
    const cache = new NarrationCache(join(folder, 'cache'), noted)
    const name = `audio ${cache.folder} ${KEY}.wav`
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1, places: [] }, {})
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
    expect((await cache.known(KEY, 'wav'))?.places).toEqual([])
    noted.set(name, { ...Object(noted.get(name)), places })
    expect((await cache.known(KEY, 'wav'))?.places).toBeUndefined()
  })

  test.each([
    [`${KEY}.mp3`, { key: KEY, extension: 'mp3' }],
    [`${KEY}.vtt`, { key: KEY, extension: 'vtt' }],
    [`${KEY}.json`, undefined],
    [`${KEY.toUpperCase()}.mp3`, undefined],
    [`${KEY}0.mp3`, undefined],
    [`../${KEY}.mp3`, undefined],
    [`${KEY}.mp3.part`, undefined],
    [`${KEY}.toString`, undefined],
    [KEY, undefined],
  ])('the name %s is %o', (name, parsed) => {
    expect(parseFileName(name)).toEqual(parsed)
  })
})

describe('the JSON of an entry', () => {
  const PLACES: readonly Place[] = [
    { startSecond: 0, endSecond: 1.25, pauses: [{ startSecond: 0.5, endSecond: 0.75 }] },
    { startSecond: 1.75, endSecond: 3 },
  ]
  const FACTS = { source: 'posts/a.md', model: 'svc-x', input: 'Grüße, “you”.' }

  /** A cache with an entry, the JSON of it, and a way to replace the JSON. */
  async function entryWith(places?: readonly Place[]) {
    const cache = cacheIn()
    const made = { audio: WAV, durationSeconds: 3, ...(places === undefined ? {} : { places }) }
    await cache.write(KEY, 'wav', made, FACTS)
    const path = cache.path(KEY, 'json')
    return { cache, text: await readFile(path, 'utf8'), replace: (text: string) => writeFileSync(path, text) }
  }

  test('the JSON of an entry holds places, pauses and facts', async () => {
    const { cache } = await entryWith(PLACES)
    expect((await cache.read(KEY, 'wav'))?.places).toEqual(PLACES)
    expect(await entriesOf(cache)).toEqual([[KEY, FACTS]])
    const plain = await entryWith()
    expect((await plain.cache.read(KEY, 'wav'))?.places).toBeUndefined()
    expect(plain.text).not.toContain('places')
  })

  test('the JSON of an entry is for people: indented, with the length, and a line break at its end', async () => {
    const { text } = await entryWith(PLACES)
    const sha256 = hash('sha256', WAV)
    expect(text.startsWith(`{\n  "sha256": "${sha256}",\n  "durationSeconds": 3,\n  "source": "posts/a.md"`)).toBe(true)
    expect(text.endsWith('}\n')).toBe(true)
  })

  test.each([
    ['a moved place', '1.75', '1.5'],
    ['no sum of the places', 'placesSum', 'sumOfPlaces'],
    ['a place of text', '1.75', '"1.75"'],
    ['a lost end', '"endSecond": 3', '"end": 3'],
  ])('%s loses the places, but not the entry', async (_, from, to) => {
    const { cache, text, replace } = await entryWith(PLACES)
    expect(text).toContain(from)
    replace(text.replace(from, to))
    expect(await cache.read(KEY, 'wav')).toMatchObject({ bytes: WAV.byteLength, places: undefined })
    expect((await entriesOf(cache))[0]?.[1]['source']).toBe('posts/a.md')
  })

  test('a cut JSON is no entry, wherever the cut is', async () => {
    const { cache, text, replace } = await entryWith(PLACES)
    for (let length = 0; length < text.length - 1; length += 1) {
      replace(text.slice(0, length))
      expect(await cache.read(KEY, 'wav')).toBeUndefined()
    }
  })

  test.each(['null', '7', '"text"', '[]', '{}', `{"sha256":7}`, `{"sha256":"${'cd'.repeat(32)}"}`])(
    'the JSON %s is no entry of the audio',
    async (text) => {
      const { cache, replace } = await entryWith()
      replace(text)
      expect(await cache.read(KEY, 'wav')).toBeUndefined()
    },
  )
})

describe('segments and pages in the cache', () => {
  const voice: VoiceSettings = {
    endpoint: undefined,
    model: 'svc-x',
    voice_id: 'rms',
    pieceFormat: 'wav',
    aigc_metadata: undefined,
    language: undefined,
  }
  const script = (...texts: string[]): NarrationScript => ({
    voice,
    format: 'wav',
    segments: texts.map((text) => ({ written: text, spoken: text })),
    gapSeconds: 0.5,
    encoder: undefined,
    source: 'a.md',
  })

  test('the JSON of a segment tells its text and voice, and no address', async () => {
    const cache = cacheIn()
    await cache.storePiece({ ...voice, language: 'de' }, 'Hallo.', 'a.md', { audio: WAV, durationSeconds: 0.1 })
    const [[key, facts] = []] = await entriesOf(cache)
    expect(key).toBe(pieceKey({ ...voice, language: 'de' }, 'Hallo.'))
    const spoken = { source: 'a.md', model: 'svc-x', voice_id: 'rms', response_format: 'wav' }
    expect(facts).toEqual({ ...spoken, language: 'de', input: 'Hallo.' })
  })

  test('a joined page needs a place for each of its segments', async () => {
    const cache = cacheIn()
    const page = script('One.', 'Two.')
    const place = { startSecond: 0, endSecond: 0.1 }
    const write = (count: number): Promise<unknown> => {
      const places = Array.from({ length: count }, () => place)
      return cache.write(pageKey(page), 'wav', { audio: WAV, durationSeconds: 0.1, places }, {})
    }
    await write(1)
    expect(await cache.page(page)).toBeUndefined()
    await write(2)
    expect((await cache.page(page))?.places).toHaveLength(2)
  })
})

describe('the last audio of a page', () => {
  const segments = [{ written: 'One.', spoken: 'One.' }]
  const note = { source: 'a.md', key: KEY, segments }

  test('the last audio of a page is found by name and format, with its captions', async () => {
    const cache = cacheIn()
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})
    await cache.noteLatest('a.md?narrate', 'wav', note)
    const latest = await cache.latest('a.md?narrate', 'wav')
    expect(latest).toMatchObject({ segments, page: { key: KEY, places: [{ startSecond: 0, endSecond: 0.1 }] } })
    expect(await cache.latest('b.md?narrate', 'wav')).toBeUndefined()
    expect(await cache.latest('a.md?narrate', 'mp3')).toBeUndefined()
  })

  test('the last audio of a page is none once its audio is gone', async () => {
    const cache = cacheIn()
    await cache.noteLatest('a.md', 'wav', note)
    expect(await cache.latest('a.md', 'wav')).toBeUndefined()
  })

  test.each(['', '{', 'null', '[]', '{"key":7,"segments":[]}', `{"key":"${KEY}"}`])(
    'the last audio of a page is none by the note %s',
    async (text) => {
      const cache = cacheIn()
      await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})
      await cache.noteLatest('a.md', 'wav', note)
      const [name = ''] = await readdir(join(cache.folder, 'latest'))
      await writeFile(join(cache.folder, 'latest', name), text)
      expect(await cache.latest('a.md', 'wav')).toBeUndefined()
    },
  )

  test('an unchanged note is not written again', async () => {
    const cache = cacheIn()
    await cache.noteLatest('a.md', 'wav', note)
    const [name = ''] = await readdir(join(cache.folder, 'latest'))
    const path = join(cache.folder, 'latest', name)
    await utimes(path, 1000, 1000)
    await cache.noteLatest('a.md', 'wav', note)
    expect((await stat(path)).mtimeMs).toBe(1_000_000)
    await cache.noteLatest('a.md', 'wav', { ...note, key: 'cd'.repeat(32) })
    expect((await stat(path)).mtimeMs).not.toBe(1_000_000)
  })
})
