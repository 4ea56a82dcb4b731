import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { wavOf } from '@svc-audio/kit/hosts/audio-files'
import { noteLatest, readLatest } from '../build/latest.ts'
import { NarrationCache, parseFileName } from './cache.ts'
import { tryLock, untilNextLook } from './lock.ts'
import { PieceStore } from './piece-store.ts'
import { type VoiceSettings, pageKey, pieceKey, type NarrationScript } from './script.ts'
import type { Sidecar } from './sidecar.ts'
import { settledStampOf, stampOf, WarmNotes } from './warm-notes.ts'

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

async function entriesOf(cache: NarrationCache): Promise<(readonly [string, Sidecar])[]> {
  const entries: (readonly [string, Sidecar])[] = []
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
    expect(written).toMatchObject({ sha256: read?.sha256, sidecar: read?.sidecar })
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
    const found = await entriesOf(cache)
    expect(found.map(([key, { facts }]) => [key, facts])).toEqual([[KEY, { source: 'a.md' }]])
  })

  test('a folder that cannot be written is an error, and leaves no part of a file', async () => {
    const cache = cacheIn()
    await mkdir(cache.path(KEY, 'wav'), { recursive: true })
    await expect(cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})).rejects.toThrow(/EISDIR|rename/)
    expect(await files()).toEqual([])
  })

  test('known audio is not read again until a file changes', async () => {
    const cache = cacheIn()
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, { source: 'a.md' })
    // A file that was just written might change again within the precision of its times.
    const now = Date.now()
    expect((await cache.known(KEY, 'wav'))?.sidecar.facts).toEqual({ source: 'a.md' })
    expect((await cache.known(KEY, 'wav'))?.sidecar.facts).toEqual({ source: 'a.md' })
    vi.spyOn(Date, 'now').mockReturnValue(now + 60_000)
    await cache.known(KEY, 'wav')
    const known = await cache.known(KEY, 'wav')
    expect(known).toMatchObject({ bytes: WAV.byteLength, durationSeconds: 0.1, sidecar: { facts: {} } })
    expect(known?.audio()).toEqual(Buffer.from(WAV))
    await writeFile(cache.path(KEY, 'wav'), OTHER)
    expect(await cache.known(KEY, 'wav')).toBeUndefined()
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

describe('the store of segments', () => {
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
  const storeIn = (): PieceStore => new PieceStore(join(folder, 'cache'), notes())

  test('the JSON of a segment tells its text and voice, and no address', async () => {
    const store = storeIn()
    await store.store({ ...voice, language: 'de' }, 'Hallo.', WAV, 0.1, 'a.md')
    const [[key, sidecar] = []] = await entriesOf(store.cache)
    expect(key).toBe(pieceKey({ ...voice, language: 'de' }, 'Hallo.'))
    const spoken = { source: 'a.md', model: 'svc-x', voice_id: 'rms', response_format: 'wav' }
    expect(sidecar?.facts).toEqual({ ...spoken, language: 'de', input: 'Hallo.' })
  })

  test('a joined page needs a place for each of its segments', async () => {
    const store = storeIn()
    const page = script('One.', 'Two.')
    const place = { startSecond: 0, endSecond: 0.1 }
    const write = (count: number): Promise<unknown> => {
      const places = Array.from({ length: count }, () => place)
      return store.cache.write(pageKey(page), 'wav', { audio: WAV, durationSeconds: 0.1, places }, {})
    }
    await write(1)
    expect(await store.page(page)).toBeUndefined()
    await write(2)
    expect((await store.page(page))?.sidecar.places).toHaveLength(2)
  })
})

describe('the last audio of a page', () => {
  const segments = [{ written: 'One.', spoken: 'One.' }]
  const note = { source: 'a.md', key: KEY, segments }

  test('the last audio of a page is found by name and format, with its captions', async () => {
    const cache = cacheIn()
    await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})
    await noteLatest(cache, 'a.md?narrate', 'wav', note)
    const latest = await readLatest(cache, 'a.md?narrate', 'wav')
    expect(latest).toMatchObject({ segments, page: { key: KEY, places: [{ startSecond: 0, endSecond: 0.1 }] } })
    expect(await readLatest(cache, 'b.md?narrate', 'wav')).toBeUndefined()
    expect(await readLatest(cache, 'a.md?narrate', 'mp3')).toBeUndefined()
  })

  test('the last audio of a page is none once its audio is gone', async () => {
    const cache = cacheIn()
    await noteLatest(cache, 'a.md', 'wav', note)
    expect(await readLatest(cache, 'a.md', 'wav')).toBeUndefined()
  })

  test.each(['', '{', 'null', '[]', '{"key":7,"segments":[]}', `{"key":"${KEY}"}`])(
    'is none by the note %s',
    async (text) => {
      const cache = cacheIn()
      await cache.write(KEY, 'wav', { audio: WAV, durationSeconds: 0.1 }, {})
      await noteLatest(cache, 'a.md', 'wav', note)
      const [name = ''] = await readdir(join(cache.folder, 'latest'))
      await writeFile(join(cache.folder, 'latest', name), text)
      expect(await readLatest(cache, 'a.md', 'wav')).toBeUndefined()
    },
  )

  test('an unchanged note is not written again', async () => {
    const cache = cacheIn()
    await noteLatest(cache, 'a.md', 'wav', note)
    const [name = ''] = await readdir(join(cache.folder, 'latest'))
    const path = join(cache.folder, 'latest', name)
    await utimes(path, 1000, 1000)
    await noteLatest(cache, 'a.md', 'wav', note)
    expect((await stat(path)).mtimeMs).toBe(1_000_000)
    await noteLatest(cache, 'a.md', 'wav', { ...note, key: 'cd'.repeat(32) })
    expect((await stat(path)).mtimeMs).not.toBe(1_000_000)
  })
})

describe('notes of a warm build', () => {
  const path = (): string => join(folder, 'deep', 'notes.json')

  test('notes of a warm build are read by the next process of the same version', () => {
    const first = new WarmNotes(path(), '1')
    first.set('a', { x: [1, null, 'ü'] })
    expect(first.get('a')).toEqual({ x: [1, null, 'ü'] })
    first.save()
    expect(new WarmNotes(path(), '1').get('a')).toEqual({ x: [1, null, 'ü'] })
    expect(new WarmNotes(path(), '2').get('a')).toBeUndefined()
  })

  test('a build that notes nothing writes nothing', async () => {
    const unused = new WarmNotes(path(), '1')
    expect(unused.get('a')).toBeUndefined()
    unused.save()
    expect(await files()).toEqual([])
  })

  test('an unused note is dropped after eight writes, and a used one stays', () => {
    const first = new WarmNotes(path(), '1')
    first.set('used', 1)
    first.set('unused', 2)
    first.save()
    const counts: unknown[][] = []
    for (let write = 1; write <= 9; write += 1) {
      const next = new WarmNotes(path(), '1')
      next.get('used')
      next.set('new', write)
      next.save()
      const { notes: stored } = JSON.parse(readFileSync(path(), 'utf8')) as { notes: unknown[][] }
      counts.push(stored.map(([name]) => name))
    }
    expect(counts[6]).toEqual(['used', 'unused', 'new'])
    expect(counts[7]).toEqual(['used', 'new'])
  })

  test.each([
    ['nothing', ''],
    ['half a file', '{"version":"1 1","write":0,"notes":[["a",0'],
    ['no list', '{"version":"1 1","write":0,"notes":{"a":1}}'],
    ['no count of writes', '{"version":"1 1","notes":[["a",0,1]]}'],
    ['odd notes', '{"version":"1 1","write":0,"notes":[null,["a"],[7,0,1],["a","0",1]]}'],
  ])('%s is no note, and the next save replaces it', async (_, text) => {
    await mkdir(dirname(path()), { recursive: true })
    await writeFile(path(), text)
    const read = new WarmNotes(path(), '1')
    expect(read.get('a')).toBeUndefined()
    read.set('a', 5)
    read.save()
    expect(new WarmNotes(path(), '1').get('a')).toBe(5)
  })

  test('a folder that cannot be written is no error', async () => {
    await writeFile(join(folder, 'deep'), 'a file')
    const blocked = new WarmNotes(path(), '1')
    blocked.set('a', 1)
    blocked.save()
    expect(await files()).toEqual(['deep'])
  })

  test('a stamp changes with size and times, and is settled after two seconds', async () => {
    const file = join(folder, 'x')
    expect([stampOf(file), settledStampOf(file)]).toEqual([undefined, undefined])
    await writeFile(file, 'a')
    const stamp = stampOf(file)
    expect(stampOf(file)).toBe(stamp)
    const { ctimeMs } = await stat(file)
    const now = vi.spyOn(Date, 'now').mockReturnValue(ctimeMs + 1999)
    expect(settledStampOf(file)).toBeUndefined()
    now.mockReturnValue(ctimeMs + 2000)
    expect(settledStampOf(file)).toBe(stamp)
    await utimes(file, 5, 5)
    expect(stampOf(file)).not.toBe(stamp)
  })
})

describe('a lock', () => {
  const path = (): string => join(folder, 'deep', 'a.lock')
  /** The id of a process that has ended: ids end below this number. */
  const DEAD = 2 ** 30
  const write = async (content: unknown, ageSeconds = 0): Promise<void> => {
    await mkdir(dirname(path()), { recursive: true })
    await writeFile(path(), typeof content === 'string' ? content : JSON.stringify(content))
    const time = Date.now() / 1000 - ageSeconds
    await utimes(path(), time, time)
  }

  test('a lock is held by one at a time, and free once released', async () => {
    const release = await tryLock(path())
    expect(release).toBeDefined()
    expect(await tryLock(path())).toBeUndefined()
    await release?.()
    expect(await files()).toEqual([])
    const second = await tryLock(path())
    expect(second).toBeDefined()
    await second?.()
  })

  test.each([
    ['a dead process of this machine', { host: hostname(), pid: DEAD }, 0, true],
    ['a living process of this machine, however old', { host: hostname(), pid: process.pid }, 3600, false],
    ['another machine, renewed lately', { host: 'elsewhere.example', pid: DEAD }, 25, false],
    ['another machine, not renewed for half a minute', { host: 'elsewhere.example', pid: DEAD }, 31, true],
    ['a process that is just writing it', '{"host":', 0, false],
    ['a process that was killed while writing it', '{"host":', 31, true],
    ['no process', 'null', 31, true],
    ['no number of a process', { host: hostname(), pid: '7' }, 31, true],
  ])('a lock of %s is taken over: %s', async (_, content, age, isTaken) => {
    await write(content, age)
    const before = await readFile(path(), 'utf8')
    const release = await tryLock(path())
    expect(release !== undefined).toBe(isTaken)
    expect((await readFile(path(), 'utf8')) === before).toBe(!isTaken)
    await release?.()
    // Neither a lock nor a stale one is left behind.
    expect(await files()).toHaveLength(isTaken ? 0 : 1)
  })

  test('a stale lock has one new holder, however many want it', async () => {
    for (let round = 0; round < 100; round += 1) {
      await write({ host: hostname(), pid: DEAD })
      const taken = await Promise.all(Array.from({ length: 8 }, () => tryLock(path())))
      expect(taken.filter((release) => release !== undefined)).toHaveLength(1)
      for (const release of taken) await release?.()
      expect(await files()).toEqual([])
    }
  })

  test('a folder that cannot be written is an error', async () => {
    await writeFile(join(folder, 'deep'), 'a file')
    await expect(tryLock(path())).rejects.toThrow(/EEXIST|ENOTDIR/)
  })

  test('waiting for a lock ends with the reason of an abort', async () => {
    const reason = new Error('stopped')
    await expect(untilNextLook(AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = untilNextLook(controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })
})
