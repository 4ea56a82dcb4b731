import { type QueryExecutorProvider, sql } from 'kysely'
import type { QueueLine } from '../../ports/task-store.ts'

/** Options of {@link readQueue}. */
interface QueueTerms {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Tasks that failed before do not count. Milliseconds since 1970. */
  readonly failedSince: number
  /** Schema of the tables, with its dot. @default none */
  readonly schema?: string
  /** Column with the time of the end of an ended task, in seconds. @default 'updated_at' */
  readonly endedColumn?: 'updated_at' | 'ended_at'
}

/** Reads the open and the recently failed tasks by tenant and kind, from the tables of any database. */
export async function readQueue(database: QueryExecutorProvider, terms: QueueTerms): Promise<QueueLine[]> {
  const { now, failedSince, schema = '', endedColumn = 'updated_at' } = terms
  const [jobs, tasks] = [sql.table(`${schema}jobs`), sql.table(`${schema}tasks`)]
  const isWaiting = sql`(j.lease_ms IS NULL OR j.lease_ms <= ${now})`
  const open = await sql<Omit<QueueLine, 'failed' | 'oldestMs'> & { readonly oldest: number | null }>`
    SELECT t.tenant, t.kind,
      cast(sum(CASE WHEN ${isWaiting} THEN 1 ELSE 0 END) AS bigint) AS waiting,
      cast(sum(CASE WHEN ${isWaiting} THEN 0 ELSE 1 END) AS bigint) AS running,
      cast(sum(CASE WHEN ${isWaiting} THEN j.cost ELSE 0 END) AS bigint) AS cost,
      min(CASE WHEN ${isWaiting} THEN j.due_ms END) AS oldest
    FROM ${jobs} AS j JOIN ${tasks} AS t ON t.id = j.task_id GROUP BY t.tenant, t.kind`.execute(database)
  const failed = await sql<Pick<QueueLine, 'tenant' | 'kind' | 'failed'>>`
    SELECT tenant, kind, count(*) AS failed FROM ${tasks}
    WHERE status = 'FAILED' AND ${sql.ref(endedColumn)} >= ${Math.floor(failedSince / 1000)} GROUP BY tenant, kind`.execute(
    database,
  )
  const lines = new Map<string, QueueLine>()
  for (const { oldest, ...row } of open.rows) {
    lines.set(nameOf(row), { ...row, oldestMs: oldest === null ? 0 : Math.max(0, now - oldest), failed: 0 })
  }
  for (const row of failed.rows) lines.set(nameOf(row), { ...(lines.get(nameOf(row)) ?? NOTHING_OPEN), ...row })
  return [...lines.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const NOTHING_OPEN = { waiting: 0, running: 0, cost: 0, oldestMs: 0 }

function nameOf({ tenant, kind }: Pick<QueueLine, 'tenant' | 'kind'>): string {
  return JSON.stringify([tenant, kind])
}
