import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkFolder, nearestTo } from './data-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a folder', () => {
  test('that is there is found, by whatever path', async () => {
    await symlink(folder, join(folder, 'link'))
    for (const path of [folder, `${folder}/`, join(folder, 'link'), relative('.', folder)]) {
      expect(await checkFolder(path)).toBe(true)
    }
  })

  test('that is not there can be made at any depth, and is not', async () => {
    expect(await checkFolder(join(folder, 'one'))).toBe(false)
    expect(await checkFolder(join(folder, 'one', 'two', 'three'))).toBe(false)
    expect(await readdir(folder)).toEqual([])
  })

  test('cannot be a file, nor be made below one', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(checkFolder(file)).rejects.toThrow(`${file} is no folder. Choose another --data-dir`)
    await expect(checkFolder(join(file, 'x'))).rejects.toThrow(
      `${file}/x is not there and cannot be made: ${file} is no folder. Choose another --data-dir`,
    )
  })

  test('has to be writable, or what is above it, as everything is to root', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed)
    await chmod(closed, 0o500)
    const said = await Promise.allSettled([checkFolder(closed), checkFolder(join(closed, 'x'))])
    const reasons = said.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : outcome.value))
    const refused = [
      `Error: ${closed} cannot be written. Choose another --data-dir`,
      `Error: ${closed}/x is not there and cannot be made: ${closed} cannot be written. Choose another --data-dir`,
    ]
    expect(reasons).toEqual(process.getuid?.() === 0 ? [true, false] : refused)
  })
})

test('the nearest to a path that is not there is the folder above that is', async () => {
  expect(await nearestTo(join(folder, 'one', 'two'))).toBe(folder)
  expect(await nearestTo(folder)).toBe(folder)
  expect(await nearestTo('/no-such-folder-anywhere/x')).toBe('/')
})
