import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../drivers/sqlite/database.ts'
import type { ServiceDatabase } from '../../drivers/sqlite/service-database.ts'
import { createStorageLedger } from '../../drivers/sqlite/storage-ledger.ts'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import { countedLedger } from './counted-ledger.ts'

let folder: string
let database: ServiceDatabase
let stored: StorageLedger
let reads: number
let ledger: StorageLedger
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-ledger-'))
  database = openDatabase(join(folder, 'service.sqlite'))
  stored = createStorageLedger(database)
  await stored.enter({ area: 'results', name: 'before', tenant: 'a', bytes: 10 })
  reads = 0
  ledger = countedLedger({
    ...stored,
    bytesOf: (tenant) => {
      reads += 1
      return stored.bytesOf(tenant)
    },
  })
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true })
})

test('a sum is read once, and follows what is entered and struck', async () => {
  expect(await ledger.enter({ area: 'results', name: 'one', tenant: 'a', bytes: 5 })).toBe(true)
  expect(await ledger.bytesOf('a')).toBe(15)
  await ledger.strike('results', ['before'])
  await ledger.strike('results', ['unknown'])
  expect(await ledger.bytesOf('a')).toBe(5)
  expect(reads).toBe(1)
  expect(await stored.bytesOf('a')).toBe(5)
})

test('of many objects at once, no more than the limit are entered', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `n${n}`)
  const entered = await Promise.all(
    names.map((name) => ledger.enter({ area: 'inputs', name, tenant: 'a', bytes: 10 }, 100)),
  )
  expect(entered.filter(Boolean)).toHaveLength(9)
  expect(await stored.bytesOf('a')).toBe(100)
})

test('an object that could not be written does not count', async () => {
  const failing = countedLedger({ ...stored, enter: () => Promise.reject(new Error('disk')) })
  await expect(failing.enter({ area: 'inputs', name: 'x', tenant: 'a', bytes: 10 })).rejects.toThrow('disk')
  expect(await failing.bytesOf('a')).toBe(10)
})

test('a sum that could not be read is read again', async () => {
  let broken = true
  const retried = countedLedger({
    ...stored,
    bytesOf: (tenant) => (broken ? Promise.reject(new Error('disk')) : stored.bytesOf(tenant)),
  })
  await expect(retried.bytesOf('a')).rejects.toThrow('disk')
  broken = false
  expect(await retried.bytesOf('a')).toBe(10)
})
