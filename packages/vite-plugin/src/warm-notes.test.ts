import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settledStampOf, stampOf, WarmNotes } from './warm-notes.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'narration-notes-'))
  // Ages of files do not depend on the speed of the machine.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now())
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})
const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ name }) => name)
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
