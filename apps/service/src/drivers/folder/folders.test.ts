import { mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeFolder } from './folders.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

vi.mock('node:fs/promises', { spy: true })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  vi.mocked(open).mockClear()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Folders that were opened. Only a sync opens them. */
const synced = (): string[] => vi.mocked(open).mock.calls.map(([path]) => String(path))

test('each folder above a new one is synced, so that all survive a power cut', async () => {
  const path = join(folder, 'a', 'b', 'c')
  await makeFolder(path)
  expect((await stat(path)).isDirectory()).toBe(true)
  expect(synced()).toEqual([folder, join(folder, 'a'), join(folder, 'a', 'b')])
})

test('only its owner can read it', async () => {
  await makeFolder(join(folder, 'a', 'b'))
  for (const path of [join(folder, 'a'), join(folder, 'a', 'b')]) expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test('an existing folder is unchanged', async () => {
  await mkdir(join(folder, 'a'))
  await makeFolder(join(folder, 'a'))
  expect(synced()).toEqual([])
})

test('a relative path makes the same folders', async () => {
  await makeFolder(relative(process.cwd(), join(folder, 'x', 'y')))
  expect(synced()).toEqual([folder, join(folder, 'x')])
})

test('two concurrent makers both get the folders', async () => {
  const path = join(folder, 'a', 'b')
  await Promise.all([makeFolder(path), makeFolder(path)])
  expect((await stat(path)).isDirectory()).toBe(true)
})

test('no folder is made below a file, and the file stays', async () => {
  await writeFile(join(folder, 'file'), 'kept')
  await expect(makeFolder(join(folder, 'file', 'below'))).rejects.toMatchObject({ code: 'EEXIST' })
  expect((await stat(join(folder, 'file'))).isFile()).toBe(true)
})

// Node's recursive mkdir never returns from this.
test('a file system that reports an existing folder as missing is a failure', async () => {
  const refused = Object.assign(new Error('no such file or directory'), { code: 'ENOENT' })
  vi.mocked(mkdir).mockRejectedValueOnce(refused)
  await expect(makeFolder(join(folder, 'refused'))).rejects.toBe(refused)
})
