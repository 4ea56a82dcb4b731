import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { cachedBytes, sweepCache } from './module-cache.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'module-cache-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

const source = { source: Uint8Array.of(1, 2, 3), version: 1 }
const made = Uint8Array.from({ length: 10_000 }, (_, index) => index % 256)

async function onlyFile(): Promise<string> {
  const [name = 'none', ...others] = await readdir(folder)
  expect(others).toEqual([])
  return join(folder, name)
}

describe('cachedBytes', () => {
  test('makes the bytes once and reads them later', async () => {
    const make = vi.fn<() => Promise<Uint8Array>>(async () => made)
    expect(await cachedBytes(folder, source, make)).toEqual(made)
    const again = await cachedBytes(folder, source, make)
    expect(new Uint8Array(again)).toEqual(made)
    expect(make).toHaveBeenCalledTimes(1)
  })

  test('makes the folder', async () => {
    const deep = join(folder, 'a', 'b')
    await cachedBytes(deep, source, async () => made)
    expect(await readdir(deep)).toHaveLength(1)
  })

  test('another source or version has a separate file', async () => {
    const make = vi.fn<() => Promise<Uint8Array>>(async () => made)
    await cachedBytes(folder, source, make)
    await cachedBytes(folder, { ...source, version: 2 }, make)
    await cachedBytes(folder, { ...source, source: Uint8Array.of(1, 2, 4) }, make)
    expect(make).toHaveBeenCalledTimes(3)
    expect(await readdir(folder)).toHaveLength(3)
  })

  test.each([
    ['empty', (path: string) => truncate(path, 0)],
    ['cut', (path: string) => truncate(path, 5000)],
    ['one byte short', async (path: string) => truncate(path, (await readFile(path)).length - 1)],
    ['different at one byte', async (path: string) => writeFile(path, (await readFile(path)).fill(7, 99, 100))],
  ])('a file that is %s is made again', async (_, damage) => {
    await cachedBytes(folder, source, async () => made)
    await damage(await onlyFile())
    const make = vi.fn<() => Promise<Uint8Array>>(async () => made)
    expect(await cachedBytes(folder, source, make)).toEqual(made)
    expect(make).toHaveBeenCalledTimes(1)
    expect(new Uint8Array(await cachedBytes(folder, source, make))).toEqual(made)
    expect(make).toHaveBeenCalledTimes(1)
    await onlyFile()
  })

  test('concurrent makers leave one whole file', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => cachedBytes(folder, source, async () => made)))
    expect(all.every((bytes) => Buffer.compare(bytes, made) === 0)).toBe(true)
    await onlyFile()
  })

  test('a folder without write access costs a warning, not the bytes', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    expect(await cachedBytes(join(file, 'cache'), source, async () => made)).toEqual(made)
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('cannot be cached'))
    warned.mockRestore()
  })

  test('a failed maker leaves no file', async () => {
    await expect(cachedBytes(folder, source, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await readdir(folder)).toEqual([])
  })
})

describe('sweepCache', () => {
  test('removes the incomplete files of a crash, and nothing else', async () => {
    await cachedBytes(folder, source, async () => made)
    const whole = await onlyFile()
    const others = ['pocketsphinx-notes.tmp', 'other.bin.tmp']
    for (const name of others) await writeFile(join(folder, name), 'mine')
    await writeFile(`${whole}.5b1c2a4e-0f3d-4b6a-9c8d-7e6f5a4b3c2d.tmp`, 'half')
    await sweepCache(folder)
    expect((await readdir(folder)).toSorted()).toEqual([basename(whole), ...others].toSorted())
  })

  test('does nothing for a missing folder', async () => {
    await expect(sweepCache(join(folder, 'none'))).resolves.toBeUndefined()
  })
})
