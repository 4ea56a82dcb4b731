import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { openPostgresDispatch } from '../../src/drivers/postgres/dispatch.ts'
import { DatabaseUnavailableError, SchemaError } from '../../src/domain/errors.ts'
import { checkSchema, migrate } from '../../src/drivers/postgres/migrate.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { describeResponseStore } from '../ports/response-store.contract.ts'
import { describeFairShares } from '../ports/fair-shares.contract.ts'
import { describeTaskStore } from '../ports/task-store.contract.ts'
import { describeWebhookOutbox } from '../ports/webhook-outbox.contract.ts'
import { describeStoreMetrics } from '../ports/store-metrics.contract.ts'
import { describeTenants } from '../ports/tenant-store.contract.ts'
import { describeUsage } from '../ports/usage.contract.ts'
import { describeRecordStores } from '../ports/record-stores.contract.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { emptyTables, recordStoresOf, storesOf } from './stores.ts'

let server: PostgresServer
const opened: PostgresDatabase[] = []
const connect = async (url: string = server.url): Promise<PostgresDatabase> => {
  const database = await openPostgres({ url, onError: () => {} })
  opened.push(database)
  return database
}
let shared: PostgresDatabase
let other: PostgresDatabase
beforeAll(async () => {
  server = await startPostgres()
  shared = await connect()
  other = await connect()
  await migrate(shared)
})
afterAll(async () => {
  for (const database of opened) await database.destroy()
  await server.stop()
})

let connections = 0
const open = storesOf(async () => {
  connections += 1
  return connections % 2 === 0 ? other : shared
})
describeTaskStore('PostgreSQL', open, { sequences: 10 })
describeFairShares('PostgreSQL', open)
describeWebhookOutbox('PostgreSQL', open)
describeResponseStore('PostgreSQL', open)
describeUsage('PostgreSQL', open)
describeTenants('PostgreSQL', open)
describeStoreMetrics('PostgreSQL', open)
describeRecordStores(
  'PostgreSQL',
  recordStoresOf(async () => shared),
)

test('many claims at once on many connections never share a task, and respect the share of a tenant', async () => {
  await emptyTables(shared)
  const stores = [shared, other].map((database) => createTaskStore(database, { atOncePerTenant: 7 }))
  for (let n = 0; n < 40; n += 1) {
    const tenant = n < 30 ? 'greedy' : 'modest'
    await stores[0]?.accept({ id: `t${n}`, tenant, kind: 'audio.speech', model: 'm', request: {} })
  }
  const claims = await Promise.all(Array.from({ length: 40 }, async (_, n) => stores[n % 2]?.claim(60_000)))
  const tasks = claims.flatMap((claim) => (claim === undefined ? [] : [claim.task]))
  expect(tasks).toHaveLength(14)
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(14)
  expect(tasks.filter(({ tenant }) => tenant === 'greedy')).toHaveLength(7)
})

test('plans made for empty tables still read by index when 20,000 jobs wait and none has been analyzed', async () => {
  const url = await server.createDatabase('planned')
  const database = await openPostgres({ url, connections: 1, onError: () => {} })
  opened.push(database)
  await migrate(database)
  await sql`ALTER TABLE svc_audio.jobs SET (autovacuum_enabled = false)`.execute(database)
  const tasks = createTaskStore(database)
  for (let n = 0; n < 8; n += 1) {
    await tasks.accept({ id: `first${n}`, tenant: 'a', kind: 'audio.speech', model: 'm', request: {} })
    expect(await tasks.claim(60_000)).toBeDefined()
  }
  await sql`WITH task AS (
      INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 't' || n, 'a', 'audio.speech', 'PENDING', 'm', 0, 0 FROM generate_series(1, 20000) AS n RETURNING id
    ) INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, token, attempts, due_ms, created_ms, cost)
    SELECT id, 'a', 'audio.speech', '{}', 0, 0, 0, 0, 1000 FROM task`.execute(database)
  const before = await rowsRead(database)
  for (let n = 0; n < 10; n += 1) expect(await tasks.claim(60_000)).toBeDefined()
  const after = await rowsRead(database)
  expect((after - before) / 10).toBeLessThan(100)
})

/** Rows of jobs that the only connection of a database has read. */
async function rowsRead(database: PostgresDatabase): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(database)
  const { rows } = await sql<{ rows: number }>`SELECT (seq_tup_read + idx_tup_fetch)::integer AS rows
    FROM pg_stat_user_tables WHERE schemaname = 'svc_audio' AND relname = 'jobs'`.execute(database)
  return rows[0]?.rows ?? Number.NaN
}

test('of many ends at once of one lease, one counts', async () => {
  await emptyTables(shared)
  const stores = [createTaskStore(shared), createTaskStore(other)]
  await stores[0]?.accept({ id: 't', tenant: 'a', kind: 'audio.speech', model: 'm', request: {} })
  const claim = await stores[0]?.claim(60_000)
  if (claim === undefined) throw new Error('Nothing was claimed')
  const ends = await Promise.all(Array.from({ length: 10 }, async (_, n) => stores[n % 2]?.succeed(claim, { by: n })))
  expect(ends.filter((ended) => ended === true)).toHaveLength(1)
})

test('an announcement reaches another process, also after the server was killed and started again', async () => {
  // A server of its own: the recovery of one with the data of all tests takes half a minute.
  const own = await startPostgres()
  onTestFinished(() => own.stop())
  const dispatches = []
  for (let n = 0; n < 2; n += 1) {
    const database = await openPostgres({ url: own.url, onError: () => {} })
    onTestFinished(() => database.destroy())
    dispatches.push(await openPostgresDispatch({ database, url: own.url, clock: systemClock, onError: () => {} }))
  }
  const [sender, receiver] = dispatches
  if (sender === undefined || receiver === undefined) throw new Error('No dispatch')
  const heard = (): Promise<undefined> => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const leave = receiver.listen('task', () => {
      leave()
      resolve(undefined)
    })
    return promise
  }
  const first = heard()
  sender.announce('task')
  await expect(first).resolves.toBeUndefined()
  const woken = heard()
  await own.kill()
  await own.start()
  // Nobody announces: the new connection wakes its listeners.
  await expect(woken).resolves.toBeUndefined()
  const again = heard()
  sender.announce('task')
  await expect(again).resolves.toBeUndefined()
  for (const dispatch of dispatches) await dispatch.close()
})

test('a server that ends a connection in use, between two queries, fails the next query alone', async () => {
  await shared.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(connection)
    await sql`SELECT pg_terminate_backend(${rows[0]?.pid}, 10000)`.execute(other)
    // The connection reads the server's last words.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await expect(sql`SELECT 1`.execute(connection)).rejects.toThrow(DatabaseUnavailableError)
  })
  expect((await sql`SELECT 1 AS one`.execute(shared)).rows).toEqual([{ one: 1 }])
})

test('two processes that migrate at once make the tables once; an empty database is refused before', async () => {
  const url = await server.createDatabase('twice')
  const [one, two] = [await connect(url), await connect(url)]
  await expect(checkSchema(one)).rejects.toThrow(/no tables yet: run svc-audio-service migrate/)
  const versions = await Promise.all([migrate(one), migrate(two)])
  expect(new Set(versions.map(({ found }) => found))).toEqual(new Set([0, versions[0]?.wanted]))
  expect((await checkSchema(one)).found).toBe(versions[0]?.wanted)
})

/** Tables with a name of this program, which something else has made. */
const OTHER_TABLES = 'CREATE SCHEMA IF NOT EXISTS svc_audio; CREATE TABLE svc_audio.tasks (id text)'
const OTHER = { statements: [OTHER_TABLES], worksWith: 1 }

test('an older program runs beside tables that say so, and no others', async () => {
  const url = await server.createDatabase('newer')
  const database = await connect(url)
  const first = { statements: ['CREATE TABLE svc_audio.one (id text)'], worksWith: 1 }
  const added = { statements: ['ALTER TABLE svc_audio.one ADD COLUMN more text'], worksWith: 1 }
  const broken = { statements: ['ALTER TABLE svc_audio.one DROP COLUMN id'], worksWith: 3 }
  await migrate(database, [first, added])
  expect(await checkSchema(database, [first])).toEqual({ found: 2, wanted: 1 })
  await migrate(database, [first, added, broken])
  await expect(checkSchema(database, [first, added])).rejects.toThrow(SchemaError)
})

test.each([
  ['other', async (database: PostgresDatabase) => migrate(database, [OTHER])],
  ['no', async (database: PostgresDatabase) => sql.raw(OTHER_TABLES).execute(database)],
])('tables that %s steps have made are refused with the remedy, and stay as they are', async (name, make) => {
  const database = await connect(await server.createDatabase(`made_by_${name}`))
  await make(database)
  const refusal = /has tables that no step of this version makes: use an empty database, or start the version/
  await expect(checkSchema(database)).rejects.toThrow(refusal)
  await expect(migrate(database)).rejects.toThrow(refusal)
  expect((await sql`SELECT id FROM svc_audio.tasks`.execute(database)).rows).toEqual([])
})

test('a failing step leaves nothing', async () => {
  const url = await server.createDatabase('failing')
  const database = await connect(url)
  const step = { statements: ['CREATE TABLE svc_audio.one (id text)', 'CREATE TABLE broken ('], worksWith: 1 }
  await expect(migrate(database, [step])).rejects.toThrow(/syntax/)
  await expect(checkSchema(database, [step])).rejects.toThrow(/no tables yet/)
})

test('a restored backup has every task, and work goes on there', async () => {
  await emptyTables(shared)
  const tasks = createTaskStore(shared)
  for (const id of ['done', 'waiting']) {
    await tasks.accept({ id, tenant: 'a', kind: 'audio.speech', model: 'm', request: { text: 'ü \0' } })
  }
  const claim = await tasks.claim(60_000)
  if (claim !== undefined) await tasks.succeed(claim, { file: 'done.wav' })
  const database = await connect(await server.restoreAs('restored'))
  expect((await checkSchema(database)).found).toBeGreaterThan(0)
  const restored = createTaskStore(database)
  expect(await restored.find('a', 'done')).toMatchObject({ status: 'SUCCESS', result: { file: 'done.wav' } })
  expect(await restored.claim(1000)).toMatchObject({ taskId: 'waiting', request: { text: 'ü \0' } })
  const added = { id: 'new', tenant: 'a', kind: 'audio.speech', model: 'm', request: {} } as const
  expect((await restored.accept(added)).outcome).toBe('accepted')
})
