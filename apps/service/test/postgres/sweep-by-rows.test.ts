import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { createStorageLedger } from '../../src/drivers/postgres/storage-ledger.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import type { TenantObjects } from '../../src/ports/object-store.ts'
import type { StorageArea } from '../../src/ports/storage-ledger.ts'
import { findOrphans } from '../../src/use-cases/orphans.ts'
import { sweep } from '../../src/use-cases/sweep.ts'
import { createTenantObjects } from '../../src/use-cases/objects.ts'
import { createFakeServices, type FakeServices, wholeReserve } from '../support/fake-services.ts'
import { bucketOf } from './bucket.ts'
import { emptyTables, openPglite } from './stores.ts'

const HOUR = 3_600_000
const LIFETIMES = { inputs: 24 * HOUR, failedRequests: 24 * HOUR, results: 48 * HOUR, responses: HOUR, audit: HOUR }

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPglite()
})
afterAll(() => database.destroy())

let services: FakeServices
/** Names of the objects of each area. */
let stored: Record<StorageArea, Set<string>>
/** Sizes of the calls that delete. */
let deletes: number[]
/** Names that the bucket refuses to delete. */
let locked: Set<string>
beforeEach(async () => {
  await emptyTables(database)
  const fake = await createFakeServices()
  const now = () => fake.clock.now()
  const ledger = createStorageLedger(database, now)
  stored = { uploads: new Set(), inputs: new Set(), results: new Set() }
  deletes = []
  locked = new Set()
  const area = (name: StorageArea): TenantObjects =>
    createTenantObjects({
      area: name,
      ledger,
      reserve: wholeReserve,
      store: bucketOf(stored[name], { onDelete: (size) => deletes.push(size), locked }),
    })
  services = {
    ...fake,
    stores: { ...fake.stores, tasks: createTaskStore(database, { now }), shared: true },
    objects: { ...fake.objects, inputs: area('inputs'), results: area('results'), uploads: area('uploads') },
  }
  return () => fake.close()
})

const put = (objects: TenantObjects, name: string) => objects.of('t').put(name, (async function* none() {})())
const order = { tenant: 't', kind: 'audio.transcription', model: 'm', request: {} } as const

test('the clean-up of a cluster finds by rows what nothing needs, and does not list the bucket', async () => {
  await put(services.objects.inputs, 'waiting')
  await services.stores.tasks.accept({ ...order, id: 'waits', input: 'waiting' })
  await put(services.objects.inputs, 'left')
  await put(services.objects.results, 'result')
  await put(services.objects.uploads, 'without-file')
  await services.clock.pass(HOUR + 1000)
  await put(services.objects.inputs, 'fresh')
  await sweep(services, LIFETIMES)
  expect([...stored.inputs].toSorted()).toEqual(['fresh', 'waiting'])
  expect([...stored.uploads]).toEqual([])
  expect([...stored.results]).toEqual(['result'])
  await services.clock.pass(48 * HOUR)
  await sweep(services, LIFETIMES)
  expect([...stored.results]).toEqual([])
})

test('a result stays as long as its task', async () => {
  await services.stores.tasks.accept({ ...order, id: 'a' })
  const claim = await services.stores.tasks.claim(60_000)
  await put(services.objects.results, 'task_a')
  await services.clock.pass(HOUR)
  if (claim !== undefined) await services.stores.tasks.succeed(claim, { file: 'task_a' })
  await services.clock.pass(47 * HOUR + 1000)
  await sweep(services, LIFETIMES)
  expect([...stored.results]).toEqual(['task_a'])
  await services.clock.pass(HOUR)
  await sweep(services, LIFETIMES)
  expect([...stored.results]).toEqual([])
})

test('an object whose process ended before its entry is deleted an hour later, and a failed one too', async () => {
  const ledger = createStorageLedger(database, () => services.clock.now())
  await ledger.byRows?.begin('uploads', 'begun')
  stored.uploads.add('begun')
  await services.clock.pass(HOUR - 1000)
  await sweep(services, LIFETIMES)
  expect([...stored.uploads]).toEqual(['begun'])
  await services.clock.pass(2000)
  await sweep(services, LIFETIMES)
  expect([...stored.uploads]).toEqual([])
  const { rows } = await sql`SELECT FROM svc_audio.begun_objects`.execute(database)
  expect(rows).toEqual([])
})

test('objects without any row stay: the database may have lost rows', async () => {
  stored.uploads.add('unknown')
  await services.clock.pass(100 * HOUR)
  await sweep(services, LIFETIMES)
  expect([...stored.uploads]).toEqual(['unknown'])
})

test('objects that the store refuses to delete stay with their rows, are named in the log, and hold up no other', async () => {
  await put(services.objects.inputs, 'locked')
  await put(services.objects.inputs, 'free')
  await put(services.objects.uploads, 'other')
  locked.add('locked')
  await services.clock.pass(HOUR + 1000)
  await sweep(services, LIFETIMES)
  await sweep(services, LIFETIMES)
  expect([...stored.inputs]).toEqual(['locked'])
  expect([...stored.uploads]).toEqual([])
  expect(services.logged.join('')).toMatch(/refuses to delete objects.*"some":\["locked"\]/)
  locked.clear()
  await sweep(services, LIFETIMES)
  expect([...stored.inputs]).toEqual([])
})

test('an object over its quota that the store refuses to delete keeps its note, by which a later clean-up finds it', async () => {
  const ledger = createStorageLedger(database, () => services.clock.now())
  await ledger.enter({ area: 'results', name: 'before', tenant: 't', bytes: 10 })
  const store = { ...bucketOf(stored.results, { locked }), put: async () => ({ bytes: 5 }) }
  // Others have filled the quota in the meantime.
  const late = { ...ledger, bytesOf: async () => 0 }
  const objects = createTenantObjects({ area: 'results', ledger: late, reserve: wholeReserve, store, max: 10 })
  locked.add('large')
  stored.results.add('large')
  await expect(put(objects, 'large')).rejects.toThrow('locked')
  expect([...stored.results]).toEqual(['large'])
  locked.clear()
  await services.clock.pass(HOUR + 1000)
  await sweep(services, LIFETIMES)
  expect([...stored.results]).toEqual([])
})

test('an object whose entry failed and that the store refuses to delete is not left without a trace', async () => {
  const ledger = createStorageLedger(database, () => services.clock.now())
  const failing = { ...ledger, enter: () => Promise.reject(new Error('connection lost')) }
  const store = bucketOf(stored.results, { locked })
  const objects = createTenantObjects({ area: 'results', ledger: failing, reserve: wholeReserve, store })
  locked.add('a')
  await expect(put(objects, 'a')).rejects.toThrow('connection lost')
  expect([...stored.results]).toEqual(['a'])
  locked.clear()
  await services.clock.pass(HOUR + 1000)
  await sweep(services, LIFETIMES)
  expect([...stored.results]).toEqual([])
})

test('a list of the past names no object that has a row, and hides none', async () => {
  await put(services.objects.inputs, 'new')
  await services.stores.tasks.accept({ ...order, id: 'a', input: 'new' })
  const stale = {
    ...services.objects.inputs,
    async *list() {
      yield { name: 'gone', storedAt: 0 }
      yield { name: 'new', storedAt: 0 }
    },
  }
  const beside = { ...services, objects: { ...services.objects, inputs: stale } }
  const found = await findOrphans(beside, 'inputs', services.clock.now() + 1000)
  expect(found).toMatchObject({ known: [], unnamed: ['gone'] })
  await stale.deleteAll(found.unnamed)
  expect([...stored.inputs]).toEqual(['new'])
})

test('rows of one moment that are needed are passed over, and what is behind them is found', async () => {
  await sql`INSERT INTO svc_audio.objects (area, name, tenant, bytes, entered_ms)
    SELECT 'uploads', 'f' || n, 't', 1, 7 FROM generate_series(1, 2500) AS n`.execute(database)
  await sql`INSERT INTO svc_audio.files (id, tenant, filename, purpose, bytes, created_at)
    SELECT 'f' || n, 't', 'a', '', 1, 1 FROM generate_series(1, 2500) AS n WHERE n <> 1700`.execute(database)
  await services.clock.pass(2 * HOUR)
  await sweep(services, LIFETIMES)
  expect(deletes).toEqual([1])
})

test('2,500 objects are deleted in three calls', async () => {
  await sql`INSERT INTO svc_audio.objects (area, name, tenant, bytes, entered_ms)
    SELECT 'results', 'r' || n, 't', 1, 0 FROM generate_series(1, 2500) AS n`.execute(database)
  await services.clock.pass(49 * HOUR)
  await sweep(services, LIFETIMES)
  expect(deletes).toEqual([1000, 1000, 500])
  const { rows } = await sql`SELECT FROM svc_audio.objects`.execute(database)
  expect(rows).toEqual([])
})
