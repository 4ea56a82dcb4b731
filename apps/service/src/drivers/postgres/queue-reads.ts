import { type RawBuilder, sql } from 'kysely'
import { type WorkClass, WORK_CLASSES } from '../../domain/task-kinds.ts'
import type { BacklogState, QueueLine, StoredTask, TaskKind, TaskQuery } from '../../ports/task-store.ts'
import {
  lineKey,
  linesOf,
  type QueueCounts,
  readBacklog,
  readOpen,
  taskFromRow,
  type TaskRow,
} from '../sql/task-rows.ts'
import { type PostgresDatabase, SCHEMA } from './database.ts'

/** Up to this many jobs, the queue is read as it is. Of a longer one, a sample of about as many jobs is read. */
const MOST_READ = 20_000

/** Jobs of a tenant that are read one by one, so that a sample does not overlook a tenant: with many tenants, fewer. */
const MOST_OF_TENANT = 100
const LEAST_OF_TENANT = 10
const MOST_OF_TENANTS = 40_000

/** Failed tasks are counted up to this number, the newest first. */
const MOST_FAILED = 100_000

/** How queries that SQLite shares name the tables and columns of this database. */
const TABLES = { schema: `${SCHEMA}.`, endedColumn: 'ended_at' } as const

/** Lists a tenant's tasks, the newest first. Each state has its index: open tasks are those with a job. */
export async function listTasks(
  database: PostgresDatabase,
  tenant: string,
  { limit, status }: TaskQuery,
): Promise<StoredTask[]> {
  const open = sql`id IN (
    SELECT task_id FROM svc_audio.jobs WHERE tenant = ${tenant} AND lease_ms IS NULL
    UNION ALL SELECT task_id FROM svc_audio.jobs WHERE tenant = ${tenant} AND lease_ms IS NOT NULL)`
  const which: Readonly<Record<NonNullable<TaskQuery['status']> | 'all', RawBuilder<unknown>>> = {
    all: sql`tenant = ${tenant}`,
    FAILED: sql`tenant = ${tenant} AND failed_at IS NOT NULL`,
    SUCCESS: sql`tenant = ${tenant} AND status = 'SUCCESS'`,
    PENDING: sql`tenant = ${tenant} AND status = 'PENDING' AND ${open}`,
    PROCESSING: sql`tenant = ${tenant} AND status = 'PROCESSING' AND ${open}`,
  }
  const { rows } = await sql<TaskRow>`
    SELECT * FROM svc_audio.tasks WHERE ${which[status ?? 'all']} ORDER BY tenant DESC, sequence DESC LIMIT ${limit}`.execute(
    database,
  )
  return rows.map(taskFromRow)
}

/** Counts the jobs, see the function of the database. */
async function countJobs(database: PostgresDatabase): Promise<number> {
  const { rows } = await sql<{ jobs: number }>`SELECT svc_audio.count_jobs() AS jobs`.execute(database)
  return rows[0]?.jobs ?? 0
}

/** A part of the table of jobs, in percent. */
function sampleOf(jobs: number): { readonly table: RawBuilder<unknown>; readonly factor: number } {
  const percent = Math.max(0.01, (100 * MOST_READ) / jobs)
  return { table: sql`svc_audio.jobs TABLESAMPLE SYSTEM (${sql.lit(percent)})`, factor: 100 / percent }
}

/** What {@link estimateBacklog} needs besides the database. */
interface BacklogTerms {
  readonly workClass: WorkClass
  /** Milliseconds since 1970. */
  readonly now: number
  readonly atOncePerTenant: number
}

/** Reads the backlog of a work class. Of a long queue it reads a sample: the time does not grow with the queue. */
export async function estimateBacklog(database: PostgresDatabase, terms: BacklogTerms): Promise<BacklogState> {
  const jobs = await countJobs(database)
  if (jobs <= MOST_READ) return readBacklog(database, { ...TABLES, ...terms })
  const { now, workClass } = terms
  const { rows } = await sql<{ oldest: number | null }>`
    SELECT min(due_ms) AS oldest FROM svc_audio.first_jobs(${workClass}, ${now})`.execute(database)
  return readBacklog(database, { ...TABLES, ...terms, sample: { ...sampleOf(jobs), oldest: rows[0]?.oldest ?? now } })
}

/** Reads the queue. Of a long one, the waiting tasks of a tenant with many are estimated from a sample. */
export async function estimateQueue(
  database: PostgresDatabase,
  { now, failedSince }: { readonly now: number; readonly failedSince: number },
): Promise<QueueLine[]> {
  const jobs = await countJobs(database)
  return database.transaction().execute(async (transaction) => {
    const open = jobs <= MOST_READ ? await readOpen(transaction, { ...TABLES, now }) : undefined
    await useIndexes(transaction)
    const lines = linesOf(
      open ?? (await estimateOpen(transaction, { now, jobs })),
      await readFailed(transaction, failedSince),
    )
    const failed = lines.reduce((sum, line) => sum + line.failed, 0)
    return failed < MOST_FAILED ? lines : lines.map((line) => Object.assign(line, { hasMoreFailed: true }))
  })
}

/**
 * Keeps plans from reading whole tables, which they may without statistics, and from being compiled, which takes longer
 * than they do. It lasts until the transaction ends.
 */
export async function useIndexes(transaction: PostgresDatabase): Promise<void> {
  const off = ['enable_seqscan', 'enable_bitmapscan', 'jit'].map((name) => sql`set_config(${name}, 'off', true)`)
  await sql`SELECT ${sql.join(off)}`.execute(transaction)
}

/** Estimates the open tasks of a long queue by tenant and kind. */
async function estimateOpen(
  database: PostgresDatabase,
  { now, jobs }: { readonly now: number; readonly jobs: number },
): Promise<readonly QueueCounts[]> {
  const first = await readFirst(database)
  const long = first.filter(({ whole }) => !whole).map(({ tenant, kind }) => ({ tenant, kind, isEstimated: true }))
  const names = new Set(long.map(lineKey))
  const { table, factor } = sampleOf(jobs)
  const sample = await sql<Omit<Waiting, 'oldest'>>`
    SELECT tenant, kind, count(*) AS waiting, sum(cost)::bigint AS cost FROM ${table}
    WHERE lease_ms IS NULL OR lease_ms <= ${now} GROUP BY tenant, kind`.execute(database)
  const running = await sql<Key & Pick<QueueLine, 'running'>>`
    SELECT tenant, kind, count(*) AS running FROM svc_audio.jobs WHERE lease_ms > ${now} GROUP BY tenant, kind`.execute(
    database,
  )
  return [
    ...first.map(({ tenant, kind, waiting, cost, oldest }) => {
      return { tenant, kind, waiting, cost, oldestMs: Math.max(0, now - oldest) }
    }),
    ...long,
    ...sample.rows
      .filter((row) => names.has(lineKey(row)))
      .map(({ tenant, kind, waiting, cost }) => {
        return { tenant, kind, waiting: Math.round(waiting * factor), cost: Math.round(cost * factor) }
      }),
    ...running.rows,
  ]
}

/** Counts the first jobs of each tenant and work class. `whole`: there are no more. */
async function readFirst(database: PostgresDatabase): Promise<readonly (Waiting & { readonly whole: boolean })[]> {
  const tenants = await sql<{ count: number }>`SELECT count(*) AS count FROM svc_audio.waiting_tenants()`.execute(
    database,
  )
  const share = Math.floor(MOST_OF_TENANTS / Math.max(1, tenants.rows[0]?.count ?? 1))
  const most = sql.lit(Math.max(LEAST_OF_TENANT, Math.min(MOST_OF_TENANT, share)))
  const { rows } = await sql<Waiting & { readonly whole: boolean }>`
    SELECT first.tenant, part.kind, count(*) AS waiting, sum(part.cost)::bigint AS cost, min(part.due_ms) AS oldest,
      max(part.counted) <= ${most} AS whole
    FROM unnest(${[...WORK_CLASSES]}::text[]) AS class, svc_audio.first_jobs(class, NULL) AS first, LATERAL (
      SELECT j.kind, j.cost, j.due_ms, count(*) OVER () AS counted FROM (
        SELECT kind, cost, due_ms FROM svc_audio.jobs
        WHERE lease_ms IS NULL AND tenant = first.tenant AND svc_audio.work_class_of(kind) = class
        ORDER BY tenant, svc_audio.work_class_of(kind), sequence LIMIT ${most} + 1
      ) AS j
    ) AS part GROUP BY first.tenant, part.kind`.execute(database)
  return rows
}

/** Counts the newest failed tasks by tenant and kind, by index alone. */
async function readFailed(
  database: PostgresDatabase,
  since: number,
): Promise<readonly (Key & Pick<QueueLine, 'failed'>)[]> {
  const { rows } = await sql<Key & Pick<QueueLine, 'failed'>>`
    SELECT tenant, kind, count(*) AS failed FROM (
      SELECT tenant, kind FROM svc_audio.tasks WHERE failed_at >= ${Math.floor(since / 1000)}
      ORDER BY failed_at DESC LIMIT ${sql.lit(MOST_FAILED)}
    ) AS newest GROUP BY tenant, kind`.execute(database)
  return rows
}

interface Key {
  readonly tenant: string
  readonly kind: TaskKind
}

interface Waiting extends Key {
  readonly waiting: number
  readonly cost: number
  readonly oldest: number
}
