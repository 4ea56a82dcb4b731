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
  test('that exists is found by any path', async () => {
    await symlink(folder, join(folder, 'link'))
    for (const path of [folder, `${folder}/`, join(folder, 'link'), relative('.', folder)]) {
      expect(await checkFolder(path)).toBe(true)
    }
  })

  test('that is missing can be made at any depth, and the check does not make it', async () => {
    expect(await checkFolder(join(folder, 'one'))).toBe(false)
    expect(await checkFolder(join(folder, 'one', 'two', 'three'))).toBe(false)
    expect(await readdir(folder)).toEqual([])
  })

  test('cannot be a file or stand below a file', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(checkFolder(file)).rejects.toThrow(`${file} is not a folder. Choose another --data-dir`)
    await expect(checkFolder(join(file, 'x'))).rejects.toThrow(
      `${file}/x is missing and cannot be made: ${file} is not a folder. Choose another --data-dir`,
    )
  })

  test('must be writable, or its nearest parent must be; root can write everywhere', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed)
    await chmod(closed, 0o500)
    const said = await Promise.allSettled([checkFolder(closed), checkFolder(join(closed, 'x'))])
    const reasons = said.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : outcome.value))
    const refused = [
      `Error: ${closed} is not writable. Choose another --data-dir`,
      `Error: ${closed}/x is missing and cannot be made: ${closed} is not writable. Choose another --data-dir`,
    ]
    expect(reasons).toEqual(process.getuid?.() === 0 ? [true, false] : refused)
  })
})

test('the nearest to a missing path is the existing folder above it', async () => {
  expect(await nearestTo(join(folder, 'one', 'two'))).toBe(folder)
  expect(await nearestTo(folder)).toBe(folder)
  expect(await nearestTo('/no-such-folder-anywhere/x')).toBe('/')
})
