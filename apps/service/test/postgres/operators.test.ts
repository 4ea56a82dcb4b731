import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORK_CLASSES } from '../../src/domain/task-kinds.ts'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { createStoreMetricsReader } from '../../src/drivers/postgres/store-metrics.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import { createPostgresTenants } from '../../src/drivers/postgres/tenant-store.ts'
import { estimateWait } from '../../src/use-cases/tasks/backlog.ts'
import { fillWithWork, OPERATOR_READS } from './operator-reads.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { emptyTables } from './stores.ts'

let server: PostgresServer
let database: PostgresDatabase
beforeAll(async () => {
  server = await startPostgres(['fsync=off'])
  database = await openPostgres({ url: server.url, connections: 1, patient: true, onError: () => undefined })
  await migrate(database)
})
afterAll(async () => {
  await database.destroy()
  await server.stop()
})

/** Rows that some work reads. */
async function rowsOf(work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    await sql`SELECT pg_stat_force_next_flush()`.execute(database)
    const { rows } = await sql<{ rows: number }>`
      SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows FROM pg_stat_user_tables
      WHERE schemaname = 'svc_audio'`.execute(database)
    return rows[0]?.rows ?? Number.NaN
  }
  const before = await count()
  await work()
  return (await count()) - before
}

describe('operators and scrapes', () => {
  test('read no more rows with 50,000 tasks and 50,000 jobs than with 25,000 of each', async () => {
    const read: Record<string, number>[] = []
    for (const amount of [25_000, 50_000]) {
      await emptyTables(database)
      await fillWithWork(database, { ended: amount, others: amount, tenants: 20 })
      const rows: Record<string, number> = {}
      for (const [name, work] of Object.entries(OPERATOR_READS)) rows[name] = await rowsOf(() => work(database))
      read.push(rows)
    }
    const [few = {}, many = {}] = read
    expect(Object.keys(few)).toEqual(Object.keys(OPERATOR_READS))
    for (const name of Object.keys(few)) {
      expect([name, (many[name] ?? Number.NaN) < 1.3 * (few[name] ?? 0) + 1500]).toEqual([name, true])
    }
  }, 240_000)

  test('a long queue is estimated: amounts of tenants with many tasks within a fifth, those of others as they are', async () => {
    await emptyTables(database)
    await fillWithWork(database, { ended: 40_000, others: 40_000, tenants: 4 })
    const tasks = createTaskStore(database)
    await tasks.accept({ id: 'one', tenant: 'small', kind: 'audio.speech', model: 'm', request: {} })
    const lines = await tasks.queue(0)
    const waiting = new Map(lines.map((line) => [line.tenant, line]))
    expect(waiting.get('small')).toMatchObject({ waiting: 1, kind: 'audio.speech' })
    expect(waiting.get('small')?.isEstimated).toBeUndefined()
    const large = lines.filter(({ isEstimated }) => isEstimated === true)
    expect(large).toHaveLength(4)
    for (const line of large) {
      expect(line.waiting).toBeGreaterThan(8000)
      expect(line.waiting).toBeLessThan(12_000)
      expect(line.failed).toBe(1000)
    }
    const wait = estimateWait(await tasks.backlog('speech'), 'tenant-1')
    expect(wait).toBeGreaterThan(0)
    const metrics = await createStoreMetricsReader(database).read()
    expect(metrics.queued).toBeGreaterThan(38_000)
    expect(metrics.queued).toBeLessThan(42_000)
  }, 240_000)

  test('counts beyond 1,000 say so', async () => {
    const list = await createPostgresTenants(database).list()
    expect(list.find(({ tenant }) => tenant === 'tenant-1')).toMatchObject({
      tasks: 1000,
      openTasks: 1000,
      atLeast: ['openTasks', 'tasks', 'files'],
    })
    expect(list.find(({ tenant }) => tenant === 'small')?.atLeast).toBeUndefined()
  })

  test('with many tenants, fewer tasks of each are counted, and counts that are larger say so', async () => {
    await emptyTables(database)
    // 600 tenants with an ended and a waiting task each, and one with 510 ended ones.
    await fillWithWork(database, { ended: 600, others: 600, tenants: 600 })
    await sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 'busy-' || n, 'busy', 'audio.speech', 'SUCCESS', 'm', 0, 0 FROM generate_series(1, 510) AS n`.execute(
      database,
    )
    const list = await createPostgresTenants(database).list()
    expect(list).toHaveLength(601)
    expect(list.find(({ tenant }) => tenant === 'busy')).toMatchObject({ tasks: 499, atLeast: ['tasks'] })
    expect(list.find(({ tenant }) => tenant === 'tenant-1')?.atLeast).toBeUndefined()
    const tasks = createTaskStore(database)
    expect((await tasks.queue(0)).map(({ isEstimated }) => isEstimated)).toEqual(Array.from({ length: 600 }))
    await sql`ALTER TABLE svc_audio.jobs DISABLE TRIGGER offer_new`.execute(database)
    for (const [tenant, amount] of [
      ['some', 66],
      ['more', 67],
      ['many', 30_000],
    ] as const) {
      const rows = sql`generate_series(1, ${amount}::bigint) AS n`
      await sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
        SELECT ${tenant} || n, ${tenant}, 'audio.speech', 'PENDING', 'm', 0, 0 FROM ${rows}`.execute(database)
      await sql`INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, token, attempts, due_ms, created_ms, cost)
        SELECT ${tenant} || n, ${tenant}, 'audio.speech', '{}', 0, 0, 0, 0, 1 FROM ${rows}`.execute(database)
    }
    await sql`ALTER TABLE svc_audio.jobs ENABLE TRIGGER offer_new`.execute(database)
    // How long a queue is comes from the statistics.
    await sql`VACUUM (ANALYZE) svc_audio.jobs`.execute(database)
    const lines = new Map((await tasks.queue(0)).map((line) => [line.tenant, line]))
    expect(lines.size).toBe(603)
    expect(lines.get('tenant-1')).toMatchObject({ waiting: 1, cost: 1000 })
    // 40,000 tasks of 603 tenants are 66 of each.
    expect(lines.get('some')).toMatchObject({ waiting: 66, cost: 66 })
    expect(lines.get('some')?.isEstimated).toBeUndefined()
    expect(lines.get('more')?.isEstimated).toBe(true)
    expect(lines.get('many')?.isEstimated).toBe(true)
    expect(lines.get('many')?.waiting).toBeGreaterThan(24_000)
    expect(lines.get('many')?.waiting).toBeLessThan(36_000)
  }, 240_000)

  test('failed tasks beyond the newest 100,000 of all tenants are not counted, and each line says so', async () => {
    await emptyTables(database)
    await sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 'failed-' || n, 'tenant-' || n % 2, 'audio.speech', 'FAILED', 'm', 0, n / 10 FROM generate_series(1, 100010) AS n`.execute(
      database,
    )
    const lines = await createTaskStore(database).queue(0)
    expect(lines.map(({ failed, hasMoreFailed }) => [failed, hasMoreFailed])).toEqual([
      [50_000, true],
      [50_000, true],
    ])
    expect((await createTaskStore(database).queue(10_000_000)).map(({ hasMoreFailed }) => hasMoreFailed)).toEqual([
      undefined,
      undefined,
    ])
  }, 240_000)

  test('a paused tenant turns off neither alert nor autoscaler of others, and its own waiting tasks turn on none', async () => {
    await emptyTables(database)
    const tasks = createTaskStore(database)
    const tenants = createPostgresTenants(database)
    const order = { kind: 'audio.speech', model: 'm', request: {} } as const
    await tasks.accept({ ...order, id: 'a', tenant: 'paused' })
    await sql`UPDATE svc_audio.jobs SET due_ms = due_ms - 90000, created_ms = created_ms - 90000`.execute(database)
    const read = async () => {
      const { rows } = await sql<{ class: string; age: number }>`
        SELECT class, svc_audio.oldest_wait_seconds(class) AS age FROM unnest(${[...WORK_CLASSES]}::text[]) AS class`.execute(
        database,
      )
      return {
        age: rows.find((row) => row.class === 'speech')?.age,
        oldest: (await createStoreMetricsReader(database).read()).oldestQueuedAt,
      }
    }
    expect((await read()).age).toBeGreaterThanOrEqual(90)
    await tenants.pause('paused', true)
    expect(await read()).toEqual({ age: 0, oldest: undefined })
    await tasks.accept({ ...order, id: 'b', tenant: 'other' })
    expect((await read()).oldest).toBeGreaterThan(Date.now() - 60_000)
    await tenants.pause('paused', false)
    expect((await read()).age).toBeGreaterThanOrEqual(90)
  })
})
