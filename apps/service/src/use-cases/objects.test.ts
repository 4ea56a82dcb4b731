import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeServices, createFakeServices, namesIn, wholeReserve } from '../../test/support/fake-services.ts'
import { createFolderObjectStore } from '../drivers/folder/object-store.ts'
import { openDatabase } from '../drivers/sqlite/database.ts'
import { createStorageLedger } from '../drivers/sqlite/storage-ledger.ts'
import { type StorageLedger } from '../ports/storage-ledger.ts'
import { type TenantObjects } from '../ports/object-store.ts'
import { claimObject, countedLedger, createTenantObjects } from './objects.ts'
import { DatabaseUnavailableError, ObjectStoreUnavailableError, OutcomeUnknownError } from '../domain/errors.ts'
import { ServiceError } from '../domain/service-error.ts'
import { tmpdir } from 'node:os'
import { type ServiceDatabase } from '../drivers/sqlite/service-database.ts'

describe('the objects of a tenant', () => {
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
})

describe('a claimed object', () => {
  let services: FakeServices
  beforeEach(async () => {
    services = await createFakeServices()
    await services.objects.inputs.of('t').put('input', one('audio'))
  })
  afterEach(() => services.close())

  async function* one(text: string): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from(text)
  }

  /** Stores the record of the object. `visible`: whether a query sees the record. */
  const claim = (record: () => Promise<{ isUsed: boolean }>, visible = false) =>
    claimObject(services, { objects: services.objects.inputs, name: 'input', inUse: async () => visible }, record)

  test('the object of an accepted record stays', async () => {
    await claim(async () => ({ isUsed: true }))
    expect(await namesIn(services.objects.inputs)).toEqual(['input'])
  })

  test('the object of a commit without a response stays, although a query does not see its record yet', async () => {
    await expect(claim(() => Promise.reject(new OutcomeUnknownError()))).rejects.toThrow(OutcomeUnknownError)
    expect(await namesIn(services.objects.inputs)).toEqual(['input'])
  })

  test.each([
    new ServiceError(409, 'idempotency_conflict', 'Another request'),
    new ServiceError(429, 'too_many_tasks', 'Full'),
    new DatabaseUnavailableError(),
  ])('the object of a record that was certainly not stored is deleted: %s', async (error) => {
    const refuse = async (): Promise<never> => {
      throw error
    }
    await expect(claim(refuse)).rejects.toBe(error)
    expect(await namesIn(services.objects.inputs)).toEqual([])
  })

  test('the object of a repeated request is deleted', async () => {
    await claim(async () => ({ isUsed: false }))
    expect(await namesIn(services.objects.inputs)).toEqual([])
  })

  test('an object that a record names after all stays', async () => {
    await expect(claim(() => Promise.reject(new Error('after the commit')), true)).rejects.toThrow('after the commit')
    expect(await namesIn(services.objects.inputs)).toEqual(['input'])
  })

  test('a failed deletion changes neither the response nor the error of the request', async () => {
    const objects = { delete: () => Promise.reject(new ObjectStoreUnavailableError()) }
    const parts = { objects, name: 'input', inUse: async () => false }
    await expect(claimObject(services, parts, async () => ({ isUsed: false }))).resolves.toEqual({ isUsed: false })
    const conflict = new ServiceError(409, 'idempotency_conflict', 'Another request')
    await expect(claimObject(services, parts, () => Promise.reject(conflict))).rejects.toBe(conflict)
    expect(services.logged.join('')).toContain('an unused object stays until the clean-up')
  })
})

describe('a counted ledger', () => {
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
})
