import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ClockOffset, systemClock } from '../../src/domain/clock.ts'
import { openPostgres, type PostgresDatabase, sharePostgres } from '../../src/drivers/postgres/database.ts'
import { createLeaderLock } from '../../src/drivers/postgres/locks.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { createStorageLedger } from '../../src/drivers/postgres/storage-ledger.ts'
import { createStoreMetricsReader } from '../../src/drivers/postgres/store-metrics.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import { createFileStore } from '../../src/drivers/sql/file-store.ts'
import { createResponseStore } from '../../src/drivers/sql/response-store.ts'
import type { StorageArea } from '../../src/ports/storage-ledger.ts'
import type { Services } from '../../src/services.ts'
import { createTenantObjects } from '../../src/use-cases/objects.ts'
import { startSweeping, sweep } from '../../src/use-cases/sweep.ts'
import { changed, createFakeServices, type FakeServices, wholeReserve } from '../support/fake-services.ts'
import { bucketOf } from './bucket.ts'
import { fillWithExpired, longestWrite, watchStatements } from './expired-rows.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { emptyTables } from './stores.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LIFETIMES = {
  uploads: DAY,
  inputs: DAY,
  failedRequests: DAY,
  results: DAY,
  responses: DAY,
  audit: DAY,
}

let server: PostgresServer
let database: PostgresDatabase
let fake: FakeServices
beforeAll(async () => {
  server = await startPostgres(['fsync=off', ...watchStatements])
  database = await openPostgres({ url: server.url, connections: 20, onError: () => undefined })
  await migrate(database)
  fake = await createFakeServices()
})
afterAll(async () => {
  await fake.close()
  await database.destroy()
  await server.stop()
})

/** Names of the objects of each area. */
let stored: Record<StorageArea, Set<string>>
beforeEach(async () => {
  await emptyTables(database)
  stored = { uploads: new Set(), inputs: new Set(), results: new Set() }
})

/** Services of a process whose clock is off. */
function process(aheadMs: number = 0): Services {
  const ledger = createStorageLedger(database)
  const area = (name: StorageArea) =>
    createTenantObjects({ area: name, ledger, reserve: wholeReserve, store: bucketOf(stored[name]) })
  return changed(fake, {
    stores: {
      tasks: createTaskStore(database),
      files: createFileStore(sharePostgres(database)),
      responses: createResponseStore(sharePostgres(database)),
      metrics: createStoreMetricsReader(database),
      leaderLock: createLeaderLock(database),
      shared: true,
      time: async () => {
        const { rows } = await sql<{ ms: number }>`SELECT svc_audio.now_ms() AS ms`.execute(database)
        return rows[0]?.ms ?? Number.NaN
      },
    },
    objects: { inputs: area('inputs'), uploads: area('uploads'), results: area('results') },
    runtime: {
      clockOffset: new ClockOffset(),
      clock: { now: () => systemClock.now() + aheadMs, setTimer: (...given) => systemClock.setTimer(...given) },
    },
  })
}

async function count(table: string): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`SELECT count(*) AS count FROM ${sql.table(`svc_audio.${table}`)}`.execute(database)
  return rows[0]?.count ?? Number.NaN
}

test('5,000 expired tasks with keys, webhooks and objects, files, responses and requests go in short statements', async () => {
  const amount = 5000
  await fillWithExpired(database, { amount, stored })
  const services = process()
  await sweep({ ...services, runtime: { ...services.runtime, clock: systemClock } }, LIFETIMES)
  for (const table of ['tasks', 'idempotency_keys', 'webhooks', 'failed_requests', 'responses', 'files', 'objects']) {
    expect([table, await count(table)]).toEqual([table, 0])
  }
  expect([...stored.uploads, ...stored.inputs, ...stored.results]).toEqual([])
  expect(await longestWrite(database)).toBeLessThan(1000)
})

test.each([0, 1, 2, 3])(
  'with the clock of process %i of four 5 minutes ahead, an expired task is gone after the first turn',
  async (wrong) => {
    await fillWithExpired(database, { amount: 10, stored })
    const stops = []
    // The wrong one is the first: it takes the turns.
    const order = [wrong, ...[0, 1, 2, 3].filter((n) => n !== wrong)]
    for (const n of order) {
      stops.push(startSweeping(process(n === wrong ? 5 * 60_000 : 0), LIFETIMES))
      await sleep(100)
    }
    await expect.poll(() => count('tasks'), { timeout: 60_000 }).toBe(0)
    // The turn is recorded after its last statement. An age counts from then, so it is new.
    const age = async (): Promise<number> =>
      (await process().stores.leaderLock.ages()).get('sweep results') ?? Number.POSITIVE_INFINITY
    await expect.poll(age, { timeout: 60_000 }).toBeLessThan(120_000)
    await Promise.all(stops.map((stop) => stop()))
  },
)

test('a turn that fails is not recorded as done, and the other clean-ups have theirs', async () => {
  await fillWithExpired(database, { amount: 10, stored })
  const broken = process()
  const fails = changed(broken, {
    stores: { tasks: { ...broken.stores.tasks, expireInputs: () => Promise.reject(new Error('disk')) } },
  })
  const stop = startSweeping(fails, LIFETIMES)
  await expect.poll(() => count('tasks'), { timeout: 60_000 }).toBe(0)
  const done = async (): Promise<string[]> => [...(await broken.stores.leaderLock.ages()).keys()].toSorted()
  await expect.poll(done, { timeout: 60_000 }).toEqual(['sweep audit', 'sweep results', 'sweep uploads', 'sweep usage'])
  await stop()
  expect(await done()).not.toContain('sweep inputs')
})

test('a walk over results finds each task by its index, however many tasks there are', async () => {
  await fillWithExpired(database, { amount: 5000 })
  const { rows } = await sql<{ reads: number }>`SELECT pg_stat_force_next_flush(), seq_tup_read AS reads
    FROM pg_stat_user_tables WHERE schemaname = 'svc_audio' AND relname = 'tasks'`.execute(database)
  const page = await createStorageLedger(database).byRows?.unneeded('results', { before: Date.now(), limit: 1000 })
  expect(page).toMatchObject({ names: [], read: 1000 })
  await sql`SELECT pg_stat_force_next_flush()`.execute(database)
  const plan = await sql<{ name: string }>`SELECT DISTINCT relname AS name FROM pg_stat_user_tables
    WHERE schemaname = 'svc_audio' AND relname = 'tasks' AND seq_tup_read - ${rows[0]?.reads ?? 0} >= 5000`.execute(
    database,
  )
  expect(plan.rows).toEqual([])
})

test('workers that record webhooks, and two sweeps at once, never wait for each other in a circle', async () => {
  await fillWithExpired(database, { amount: 4000, stored })
  await sql`UPDATE svc_audio.webhooks SET status = 'pending'`.execute(database)
  const before = await deadlocks()
  const state = { isDone: false }
  const record = async (): Promise<void> => {
    while (!state.isDone) {
      await sql`UPDATE svc_audio.webhooks SET due_ms = due_ms + 1 WHERE id = (
        SELECT id FROM svc_audio.webhooks TABLESAMPLE SYSTEM (5) LIMIT 1)`.execute(database)
    }
  }
  const recording = Array.from({ length: 4 }, record)
  const tasks = createTaskStore(database)
  const forget = async (): Promise<void> => {
    let from: number | undefined
    do {
      from = (await tasks.forget({ before: Date.now(), limit: 200, from })).next
    } while (from !== undefined)
  }
  await Promise.all([forget(), forget()])
  state.isDone = true
  await Promise.all(recording)
  expect(await deadlocks()).toBe(before)
})

async function deadlocks(): Promise<number> {
  const { rows } = await sql<{ deadlocks: number }>`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`.execute(database)
  return rows[0]?.deadlocks ?? Number.NaN
}
