import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { createStorageHealth } from './storage-health.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-health-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a folder that takes writes is ok', async () => {
  expect(await createStorageHealth(folder).check()).toBe('ok')
})

test.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EIO', 'failing'],
  ['EROFS', 'failing'],
])('a write that fails with %s is %s', async (code, state) => {
  const write = () => Promise.reject(Object.assign(new Error('no'), { code }))
  expect(await createStorageHealth(folder, { write }).check()).toBe(state)
})

test('a folder that is gone is failing', async () => {
  expect(await createStorageHealth(join(folder, 'gone')).check()).toBe('failing')
})

test('a missing folder of stored data is made again, and reported', async () => {
  const made: string[] = []
  const folders = [join(folder, 'results')]
  const options = { folders, onMade: (one: string) => void made.push(one) }
  expect(await createStorageHealth(folder, options).check()).toBe('ok')
  expect(made).toEqual(folders)
  expect(await createStorageHealth(folder, options).check()).toBe('ok')
  expect(made).toHaveLength(1)
})

test('a folder of stored data that cannot be made is failing', async () => {
  await writeFile(join(folder, 'results'), '')
  expect(await createStorageHealth(folder, { folders: [join(folder, 'results')] }).check()).toBe('failing')
})

test('a write that hangs is failing, and starts no second one', async () => {
  const clock = new ManualClock()
  let writes = 0
  const write = () => {
    writes += 1
    return new Promise<void>(() => undefined)
  }
  const health = createStorageHealth(folder, { clock, write })
  const state = health.check()
  await turn()
  await turn()
  await clock.pass(5000)
  expect(await state).toBe('failing')
  await clock.pass(60_000)
  expect(await health.check()).toBe('failing')
  expect(writes).toBeLessThan(2)
})

test('checks in a row write once, later ones again', async () => {
  const clock = new ManualClock()
  let writes = 0
  const health = createStorageHealth(folder, { clock, write: async () => void (writes += 1) })
  await Promise.all([health.check(), health.check()])
  expect(writes).toBe(1)
  await turn()
  await clock.pass(5000)
  await health.check()
  expect(writes).toBe(2)
})
