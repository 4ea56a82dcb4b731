import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { createStorageLedger } from '../../src/drivers/postgres/storage-ledger.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import type { TenantObjects } from '../../src/ports/object-store.ts'
import type { StorageArea } from '../../src/ports/storage-ledger.ts'
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
}, 60_000)
afterAll(() => database.destroy())

let services: FakeServices
/** Names of the objects of each area. */
let stored: Record<StorageArea, Set<string>>
/** Sizes of the calls that delete. */
let deletes: number[]
beforeEach(async () => {
  await emptyTables(database)
  const fake = await createFakeServices()
  const now = () => fake.clock.now()
  const ledger = createStorageLedger(database, now)
  stored = { uploads: new Set(), inputs: new Set(), results: new Set() }
  deletes = []
  const area = (name: StorageArea): TenantObjects =>
    createTenantObjects({
      area: name,
      ledger,
      reserve: wholeReserve,
      store: bucketOf(stored[name], (size) => deletes.push(size)),
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

test('2,500 objects are deleted in three calls', async () => {
  await sql`INSERT INTO svc_audio.objects (area, name, tenant, bytes, entered_ms)
    SELECT 'results', 'r' || n, 't', 1, 0 FROM generate_series(1, 2500) AS n`.execute(database)
  await services.clock.pass(49 * HOUR)
  await sweep(services, LIFETIMES)
  expect(deletes).toEqual([1000, 1000, 500])
  const { rows } = await sql`SELECT FROM svc_audio.objects`.execute(database)
  expect(rows).toEqual([])
})
