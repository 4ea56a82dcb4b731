import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFakeServices, type FakeServices, namesIn, wholeReserve } from '../../../test/support/fake-services.ts'
import { createFolderObjectStore } from '../../drivers/folder/object-store.ts'
import { openDatabase } from '../../drivers/sqlite/database.ts'
import { createStorageLedger } from '../../drivers/sqlite/storage-ledger.ts'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'
import { createTenantObjects } from './tenant-objects.ts'

const MOST = 100

let services: FakeServices
let ledger: StorageLedger
let objects: TenantObjects
let closeDatabase: () => Promise<void>
beforeEach(async () => {
  services = await createFakeServices()
  const database = openDatabase(join(services.dataDir, 'service.sqlite'))
  closeDatabase = () => database.destroy()
  ledger = createStorageLedger(database)
  const store = await createFolderObjectStore(join(services.dataDir, 'results'))
  objects = createTenantObjects({ area: 'results', store, ledger, max: MOST, reserve: wholeReserve })
})
afterEach(async () => {
  await closeDatabase()
  await services.close()
})

async function* bytes(...sizes: number[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const size of sizes) yield new Uint8Array(size)
}
const EXCEEDED = { status: 429, code: 'storage_quota_exceeded', retryAfterSeconds: 600 }

test('a stored object counts for its tenant until it is deleted', async () => {
  await objects.of('a').put('one', bytes(30, 30))
  expect(await ledger.bytesOf('a')).toBe(60)
  expect(await ledger.bytesOf('b')).toBe(0)
  await objects.delete('one')
  expect(await ledger.bytesOf('a')).toBe(0)
  expect(await namesIn(objects)).toEqual([])
})

test('a crash between the store and the ledger leaves an entry, which the next start strikes', async () => {
  await objects.of('a').put('one', bytes(60))
  const store = await createFolderObjectStore(join(services.dataDir, 'results'))
  const crash = new Error('crash')
  const struck: StorageLedger = { ...ledger, strike: () => Promise.reject(crash) }
  const dying = createTenantObjects({ area: 'results', store, ledger: struck, max: MOST, reserve: wholeReserve })
  await expect(dying.delete('one')).rejects.toBe(crash)
  expect(await namesIn(objects)).toEqual([])
  await objects.reconcile()
  expect(await ledger.bytesOf('a')).toBe(0)
})

test('an object that cannot be deleted stays entered, so that the clean-up knows it', async () => {
  await objects.of('a').put('one', bytes(60))
  const store = await createFolderObjectStore(join(services.dataDir, 'results'))
  const down = new Error('down')
  const failing = { ...store, delete: () => Promise.reject(down) }
  const parts = { area: 'results', store: failing, ledger, max: MOST, reserve: wholeReserve } as const
  await expect(createTenantObjects(parts).delete('one')).rejects.toBe(down)
  expect([...(await objects.entered())]).toEqual(['one'])
})

test('an entry whose response was lost is struck with its object', async () => {
  const lost = new Error('the connection was cut after the commit')
  const store = await createFolderObjectStore(join(services.dataDir, 'results'))
  const cut: StorageLedger = {
    ...ledger,
    enter: async (entry, max) => {
      await ledger.enter(entry, max)
      throw lost
    },
  }
  const cutting = createTenantObjects({ area: 'results', store, ledger: cut, max: MOST, reserve: wholeReserve })
  await expect(cutting.of('a').put('one', bytes(60))).rejects.toBe(lost)
  expect(await ledger.bytesOf('a')).toBe(0)
  expect(await namesIn(objects)).toEqual([])
})

test('many objects are deleted and struck at once', async () => {
  for (const name of ['one', 'two', 'three']) await objects.of('a').put(name, bytes(10))
  await objects.deleteAll(['one', 'three', 'gone'])
  expect(await namesIn(objects)).toEqual(['two'])
  expect(await ledger.bytesOf('a')).toBe(10)
})

describe('a quota', () => {
  test('can be used to its last byte and no further', async () => {
    await objects.of('a').put('one', bytes(60))
    expect(await objects.of('a').requireRoom(40)).toBe(60)
    await expect(objects.of('a').requireRoom(41)).rejects.toMatchObject(EXCEEDED)
    await objects.of('a').put('two', bytes(40))
    await expect(objects.of('a').requireRoom()).rejects.toMatchObject(EXCEEDED)
  })

  test('stops a stream that exceeds it, closes its source and stores nothing', async () => {
    let stopped = false
    const source = (async function* endless() {
      try {
        for (;;) yield new Uint8Array(30)
      } finally {
        stopped = true
      }
    })()
    await expect(objects.of('a').put('one', source)).rejects.toMatchObject(EXCEEDED)
    expect(stopped).toBe(true)
    expect(await readdir(join(services.dataDir, 'results'))).toEqual([])
    expect(await ledger.bytesOf('a')).toBe(0)
  })

  test('holds for simultaneous objects: only those that fit are stored', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) => objects.of('a').put(`n${n}`, bytes(20, 20))),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await namesIn(objects)).toHaveLength(2)
    expect(await ledger.bytesOf('a')).toBe(80)
  })

  test('refuses a file that does not fit, and does not move it', async () => {
    const path = join(services.dataDir, 'file')
    await writeFile(path, new Uint8Array(101))
    await expect(objects.of('a').putFile('one', path)).rejects.toMatchObject(EXCEEDED)
    expect(await namesIn(objects)).toEqual([])
    expect(await readdir(services.dataDir)).toContain('file')
  })

  test('is shared by all areas', async () => {
    const store = await createFolderObjectStore(join(services.dataDir, 'inputs'))
    const inputs = createTenantObjects({ area: 'inputs', store, ledger, max: MOST, reserve: wholeReserve })
    await inputs.of('a').put('one', bytes(90))
    await expect(objects.of('a').put('two', bytes(20))).rejects.toMatchObject(EXCEEDED)
  })
})

test('a reconciliation strikes objects that are missing in the store', async () => {
  await objects.of('a').put('one', bytes(10))
  await objects.of('a').put('two', bytes(20))
  await rm(join(services.dataDir, 'results', 'one'))
  await objects.reconcile()
  expect(await ledger.bytesOf('a')).toBe(20)
})

test('a reconciliation returns objects that were never entered', async () => {
  await objects.of('a').put('one', bytes(10))
  await writeFile(join(services.dataDir, 'results', 'two'), 'x')
  expect([...(await objects.reconcile())]).toEqual(['two'])
  expect(await namesIn(objects)).toHaveLength(2)
})

test('without a quota every object is stored and counted', async () => {
  const store = await createFolderObjectStore(join(services.dataDir, 'results'))
  const unlimited = createTenantObjects({ area: 'results', store, ledger, reserve: wholeReserve })
  await unlimited.of('a').requireRoom(1e12)
  await unlimited.of('a').put('one', bytes(1000))
  expect(await ledger.bytesOf('a')).toBe(1000)
})
