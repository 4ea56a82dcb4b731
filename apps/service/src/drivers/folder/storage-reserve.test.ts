import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StorageReserve } from '../../ports/disk.ts'
import { openStorageReserve } from './storage-reserve.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterEach(() => rm(folder, { recursive: true }))

const BYTES = 600_000
const full = () => Object.assign(new Error('no space'), { code: 'ENOSPC' })
const open = async (): Promise<StorageReserve> => {
  const reserve = await openStorageReserve(folder, { bytes: BYTES })
  await reserve.refill()
  return reserve
}
const held = () =>
  stat(join(folder, 'reserve')).then(
    ({ size }) => size,
    () => 0,
  )

test('a reserve allocates its space at once, and completes a partial one', async () => {
  expect((await open()).whole).toBe(true)
  expect(await held()).toBe(BYTES)
  await writeFile(join(folder, 'reserve'), 'partial')
  expect((await open()).whole).toBe(true)
  expect(await held()).toBe(BYTES)
})

test('work that finds no room runs again without the reserve, which is refilled afterwards', async () => {
  const reserve = await open()
  const seen: number[] = []
  const result = await reserve.use(async () => {
    seen.push(await held())
    if (seen.length === 1) throw full()
    return 'done'
  })
  expect([result, seen]).toEqual(['done', [BYTES, 0]])
  expect(await held()).toBe(BYTES)
  await reserve.requireWhole()
})

test('another error leaves the reserve alone', async () => {
  const reserve = await open()
  let calls = 0
  const work = async (): Promise<void> => {
    calls += 1
    throw new Error('broken')
  }
  await expect(reserve.use(work)).rejects.toThrow('broken')
  expect([calls, await held()]).toEqual([1, BYTES])
})

test('concurrent actions share the released space, and the last one refills', async () => {
  const reserve = await open()
  const once = () => {
    let calls = 0
    return reserve.use(async () => {
      calls += 1
      if (calls === 1) throw full()
      expect(await held()).toBe(0)
      expect(reserve.whole).toBe(false)
    })
  }
  await Promise.all([once(), once(), once()])
  expect(reserve.whole).toBe(true)
  expect(await held()).toBe(BYTES)
})
