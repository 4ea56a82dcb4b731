import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { createTaskStore, DatabaseContact, PAUSE_GRACE_MS } from '../../src/drivers/postgres/task-store.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { emptyTables } from './stores.ts'

let server: PostgresServer
let database: PostgresDatabase
const opened: PostgresDatabase[] = []
const connect = async (url: string, connections = 10): Promise<PostgresDatabase> => {
  const one = await openPostgres({ url, connections, onError: () => {} })
  opened.push(one)
  return one
}
beforeAll(async () => {
  server = await startPostgres()
  database = await connect(server.url)
  await migrate(database)
})
beforeEach(() => emptyTables(database))
afterAll(async () => {
  for (const one of opened) await one.destroy()
  await server.stop()
})

/** A busy machine may take long until a claim waits. */
const PATIENT = { timeout: 60_000 }

const order = { kind: 'audio.speech', model: 'm', request: {} } as const

/** Adds waiting jobs of tenants in turn. */
async function fill(target: PostgresDatabase, jobs: number, tenants: number): Promise<void> {
  await sql`WITH task AS (
      INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 'filled' || n, 'tenant' || n % ${tenants}::integer, 'audio.speech', 'PENDING', 'm', 0, 0
      FROM generate_series(1, ${jobs}::integer) AS n RETURNING id, tenant, kind
    ) INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, token, attempts, due_ms, created_ms, cost)
    SELECT id, tenant, kind, '{}', 0, 0, 0, 0, 1000 FROM task`.execute(target)
}

/** Rows of a table that the only connection of a database has read. */
async function rowsRead(target: PostgresDatabase): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(target)
  const { rows } = await sql<{ rows: number }>`SELECT sum(seq_tup_read + idx_tup_fetch)::integer AS rows
    FROM pg_stat_user_tables WHERE schemaname = 'svc_audio' AND relname IN ('jobs', 'shares')`.execute(target)
  return rows[0]?.rows ?? Number.NaN
}

test.each([
  { jobs: 1000, tenants: 10, leases: 0 },
  { jobs: 30_000, tenants: 1000, leases: 0 },
  { jobs: 30_000, tenants: 1000, leases: 2000 },
])(
  'a claim reads few rows with $jobs jobs of $tenants tenants and $leases leases',
  async ({ jobs, tenants, leases }) => {
    const single = await connect(server.url, 1)
    await fill(single, jobs + leases, tenants)
    await sql`SELECT count(*) FROM svc_audio.claim_tasks(NULL, 3600000, 5000, '{speech}', ${leases}, NULL)`.execute(
      single,
    )
    // The dead rows of so many leases at once, and the check of each minute, are no part of a claim.
    await sql`VACUUM svc_audio.shares, svc_audio.jobs`.execute(single)
    await sql`SELECT svc_audio.tend_queue(svc_audio.now_ms())`.execute(single)
    const tasks = createTaskStore(single, { atOncePerTenant: 5000 })
    const before = await rowsRead(single)
    for (let n = 0; n < 20; n += 1) expect(await tasks.claim(60_000)).toBeDefined()
    expect(((await rowsRead(single)) - before) / 20).toBeLessThan(60)
  },
)

test('a claim writes its task on the page where it was, and no entry of an index for it', async () => {
  const single = await connect(server.url, 1)
  const counts = async (): Promise<{ updates: number; hot: number }> => {
    await sql`SELECT pg_stat_force_next_flush()`.execute(single)
    const { rows } = await sql<{ updates: number; hot: number }>`
      SELECT n_tup_upd::integer AS updates, n_tup_hot_upd::integer AS hot FROM pg_stat_user_tables
      WHERE schemaname = 'svc_audio' AND relname = 'tasks'`.execute(single)
    return rows[0] ?? { updates: Number.NaN, hot: Number.NaN }
  }
  await fill(single, 1000, 10)
  const before = await counts()
  const tasks = createTaskStore(single)
  // Each page has room for some more versions of its rows.
  for (let n = 0; n < 50; n += 1) await tasks.claim(60_000)
  const after = await counts()
  expect({ updates: after.updates - before.updates, hot: after.hot - before.hot }).toEqual({ updates: 50, hot: 50 })
})

test('claims at the same time take from different tenants, and none waits', async () => {
  const tasks = createTaskStore(database)
  for (const id of ['a1', 'a2']) await tasks.accept({ ...order, id, tenant: 'a' })
  await tasks.accept({ ...order, id: 'b1', tenant: 'b' })
  await database.transaction().execute(async (transaction) => {
    await sql`SELECT id FROM svc_audio.claim_tasks(NULL, 60000, 10, '{speech}', 1, NULL)`.execute(transaction)
    expect((await tasks.claim(60_000))?.taskId).toBe('b1')
  })
  expect((await tasks.claim(60_000))?.taskId).toBe('a2')
})

test('a worker of a work class without tasks claims nothing at once, while claims of the other work class wait', async () => {
  const tasks = createTaskStore(database)
  for (const id of ['a1', 'a2']) await tasks.accept({ ...order, id, tenant: 'a' })
  await database.transaction().execute(async (transaction) => {
    await sql`SELECT id FROM svc_audio.claim_tasks(NULL, 60000, 10, '{speech}', 1, NULL)`.execute(transaction)
    expect(await tasks.claim(60_000, { workClasses: ['recognition'] })).toBeUndefined()
  })
})

test('a claim for a tenant that is alone waits for the claim before it', async () => {
  const tasks = createTaskStore(database)
  for (const id of ['a1', 'a2']) await tasks.accept({ ...order, id, tenant: 'a' })
  const { next } = await database.transaction().execute(async (transaction) => {
    await sql`SELECT id FROM svc_audio.claim_tasks(NULL, 60000, 10, '{speech}', 1, NULL)`.execute(transaction)
    return { next: tasks.claim(60_000) }
  })
  expect((await next)?.taskId).toBe('a2')
})

test('a claim that has waited for an empty share takes from another, when the claim of that one has ended', async () => {
  const tasks = createTaskStore(database)
  await tasks.accept({ ...order, id: 'a1', tenant: 'a' })
  for (const id of ['b1', 'b2']) await tasks.accept({ ...order, id, tenant: 'b' })
  const [ofA, ofB] = [await openClaim('a1'), await openClaim('b1')]
  const next = tasks.claim(60_000)
  await expect.poll(() => ofA.countWaiting(), PATIENT).toBe(1)
  await ofA.commit()
  await expect.poll(() => ofB.countWaiting(), PATIENT).toBe(1)
  await ofB.commit()
  expect((await next)?.taskId).toBe('b2')
})

test('two claims that waited for two shares do not wait for each other, when both shares are empty', async () => {
  const tasks = createTaskStore(database)
  for (const id of ['a1', 'a2']) await tasks.accept({ ...order, id, tenant: 'a' })
  await tasks.accept({ ...order, id: 'b1', tenant: 'b' })
  const [first, ofB] = [await openClaim('a1'), await openClaim('b1', { amount: 2 })]
  const second = openClaim('a2', { amount: 2, waits: true })
  await expect.poll(countBlocked, PATIENT).toBe(1)
  const claims = [tasks.claim(60_000)]
  await expect.poll(countBlocked, PATIENT).toBe(2)
  // The next claim waits for `b`, which has cost less now. The one before sees `b` as the share after `a`.
  await first.commit()
  const ofA = await second
  claims.push(tasks.claim(60_000))
  await expect.poll(() => ofB.countWaiting(), PATIENT).toBe(1)
  await ofB.commit()
  await expect.poll(countBlocked, PATIENT).toBe(2)
  await ofA.commit()
  expect(await Promise.all(claims)).toEqual([undefined, undefined])
})

/** Connections that wait for another. */
async function countBlocked(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0`.execute(
    database,
  )
  return rows[0]?.count ?? 0
}

/** A claim whose transaction is open. It has taken one task. With a larger amount it has found that there are no others. */
async function openClaim(expected: string, { amount = 1, waits = false } = {}) {
  const [begun, ended] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
  onTestFinished(() => ended.resolve())
  const transaction = database.transaction().execute(async (target) => {
    const { rows } = await sql<{ id: string; pid: number }>`
      SELECT id, pg_backend_pid() AS pid FROM svc_audio.claim_tasks(NULL, 60000, 10, '{speech}', ${amount}, NULL, ${waits})`.execute(
      target,
    )
    expect(rows[0]?.id).toBe(expected)
    begun.resolve(rows[0]?.pid ?? 0)
    await ended.promise
  })
  transaction.catch(begun.reject)
  const pid = await begun.promise
  return {
    /** Connections that wait for this transaction. */
    async countWaiting(): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        SELECT count(*)::integer AS count FROM pg_stat_activity
        WHERE ${pid}::integer = ANY (pg_blocking_pids(pid))`.execute(database)
      return rows[0]?.count ?? 0
    },
    commit(): Promise<void> {
      ended.resolve()
      return transaction
    },
  }
}

describe('a job that is stored while a claim finds its share empty', () => {
  /** Leaves a stored job of tenant `a` in a share that was found empty. */
  async function miss(): Promise<void> {
    const tasks = createTaskStore(database)
    await tasks.accept({ ...order, id: 'first', tenant: 'a' })
    await tasks.claim(600_000)
    await database.transaction().execute(async (transaction) => {
      await createTaskStore(transaction).accept({ ...order, id: 'missed', tenant: 'a' })
      expect(await tasks.claim(60_000)).toBeUndefined()
    })
    const { rows } = await sql<{ state: string }>`SELECT state FROM svc_audio.shares`.execute(database)
    expect(rows).toEqual([{ state: 'empty' }])
  }

  test('is found by the next claim of an idle worker', async () => {
    await miss()
    expect((await createTaskStore(database).claim(60_000))?.taskId).toBe('missed')
  })

  test('is found within a second beside waiting tasks of others', async () => {
    await miss()
    const soon = Date.now() + 1100
    const tasks = createTaskStore(database, { now: () => soon })
    for (const id of ['b1', 'b2']) await tasks.accept({ ...order, id, tenant: 'b', cost: 1 })
    const claims = [await tasks.claim(60_000), await tasks.claim(60_000), await tasks.claim(60_000)]
    expect(claims.map((claim) => claim?.taskId)).toContain('missed')
  })

  test('is found within a minute when its commit took long', async () => {
    await miss()
    await sql`UPDATE svc_audio.shares SET look_ms = NULL, looks = 2`.execute(database)
    const late = Date.now() + 61_000
    expect((await createTaskStore(database, { now: () => late }).claim(60_000))?.taskId).toBe('missed')
  })
})

test('tasks of a paused tenant stay in the queue until it goes on', async () => {
  const tasks = createTaskStore(database)
  await tasks.accept({ ...order, id: 'a', tenant: 'a' })
  await sql`UPDATE svc_audio.shares SET paused = true`.execute(database)
  expect(await tasks.claim(60_000)).toBeUndefined()
  await sql`UPDATE svc_audio.shares SET paused = false`.execute(database)
  expect((await tasks.claim(60_000))?.taskId).toBe('a')
})

describe('a pause of the database that is longer than a lease', () => {
  const LEASE_MS = 30_000

  /** Two workers that have claimed for a while, on one clock. */
  async function openWorkers() {
    const clock = { now: 1_800_000_000_000 }
    const open = () => {
      const contact = new DatabaseContact(() => clock.now)
      return createTaskStore(database, { now: () => clock.now, contact })
    }
    const [one, other] = [open(), open()]
    for (let second = 0; second < 30; second += 5) {
      await one.claim(LEASE_MS)
      await other.claim(LEASE_MS)
      clock.now += 5000
    }
    return { clock, one, other }
  }

  test('costs a running task and a stream no attempt: their worker renews the leases before another takes them', async () => {
    const { clock, one, other } = await openWorkers()
    await one.accept({ ...order, id: 'task', tenant: 't' })
    const claim = await one.claim(LEASE_MS)
    if (claim === undefined) throw new Error('Nothing to claim')
    const stream = await one.begin({ ...order, id: 'stream', tenant: 't' }, LEASE_MS)
    for (let pauses = 0; pauses < 6; pauses += 1) {
      clock.now += 2 * LEASE_MS
      expect(await other.claim(LEASE_MS)).toBeUndefined()
      // The longest wait for the response to a renewal that was sent during the pause.
      clock.now += 13_000
      expect(await other.claim(LEASE_MS)).toBeUndefined()
      expect([await one.renew(claim, LEASE_MS), await one.renew(stream, LEASE_MS)]).toEqual([true, true])
      for (let second = 0; second < 40; second += 10) {
        clock.now += 10_000
        expect([await one.renew(claim, LEASE_MS), await one.renew(stream, LEASE_MS)]).toEqual([true, true])
        expect(await other.claim(LEASE_MS)).toBeUndefined()
      }
    }
    expect(await one.succeed(claim, {})).toBe(true)
    expect(await one.succeed(stream, {})).toBe(true)
  })

  test('delays the task of a worker that died in it by the time in which the others renew their leases', async () => {
    const { clock, one, other } = await openWorkers()
    await one.accept({ ...order, id: 'task', tenant: 't' })
    await one.claim(LEASE_MS)
    clock.now += 2 * LEASE_MS
    for (let waited = 0; waited < PAUSE_GRACE_MS; waited += 5000) {
      expect(await other.claim(LEASE_MS)).toBeUndefined()
      clock.now += 5000
    }
    expect(await other.claim(LEASE_MS)).toMatchObject({ taskId: 'task', attempt: 2 })
  })

  test('without a pause, the task of a dead worker is claimed as soon as its lease has lapsed', async () => {
    const { clock, one, other } = await openWorkers()
    await one.accept({ ...order, id: 'task', tenant: 't' })
    await one.claim(LEASE_MS)
    for (let second = 0; second < LEASE_MS / 1000; second += 5) {
      expect(await other.claim(LEASE_MS)).toBeUndefined()
      clock.now += 5000
    }
    expect(await other.claim(LEASE_MS)).toMatchObject({ taskId: 'task', attempt: 2 })
  })
})
