import { type QueryExecutorProvider, sql } from 'kysely'
import { type WorkClass, RECOGNITION_KIND } from '../../domain/task-kinds.ts'
import { type BacklogState, MOST_BACKLOG_SECONDS } from '../../ports/task-store.ts'

/** Options of {@link readBacklog}. */
interface BacklogTerms {
  readonly workClass: WorkClass
  /** Milliseconds since 1970. */
  readonly now: number
  readonly atOncePerTenant: number
  /** Schema of the tables, with its dot. @default none */
  readonly schema?: string
  /** Column with the time of the end of an ended task, in seconds. @default 'updated_at' */
  readonly endedColumn?: 'updated_at' | 'ended_at'
}

/** Reads the waiting, the running and the recently ended tasks of a work class. Streams never wait. */
export async function readBacklog(database: QueryExecutorProvider, terms: BacklogTerms): Promise<BacklogState> {
  const { workClass, now, atOncePerTenant, schema = '', endedColumn = 'updated_at' } = terms
  const [jobs, tasks] = [sql.table(`${schema}jobs`), sql.table(`${schema}tasks`)]
  const isOfClass = workClass === 'recognition' ? sql`kind = ${RECOGNITION_KIND}` : sql`kind <> ${RECOGNITION_KIND}`
  const { rows } = await sql<WaitingRow>`
    SELECT tenant, count(*) AS tasks, cast(sum(cost) AS bigint) AS cost, min(due_ms) AS oldest FROM ${jobs}
    WHERE request IS NOT NULL AND due_ms <= ${now} AND (lease_ms IS NULL OR lease_ms <= ${now}) AND ${isOfClass}
    GROUP BY tenant`.execute(database)
  const oldest = rows.reduce((min, row) => Math.min(min, row.oldest), now)
  const seconds = Math.min(MOST_BACKLOG_SECONDS, Math.floor((now - oldest) / 1000))
  // The bound is a value: the planner knows how few rows it selects.
  const since = Math.floor(now / 1000) - seconds
  const work = await sql<WorkRow>`SELECT
      count(*) AS running, cast(coalesce(sum(cost), 0) AS bigint) AS "runningCost",
      (SELECT cast(coalesce(sum(cost), 0) AS bigint) FROM ${tasks}
        WHERE status IN ('SUCCESS', 'FAILED') AND ${sql.ref(endedColumn)} > ${since} AND ${isOfClass}) AS "endedCost"
    FROM ${jobs} WHERE lease_ms > ${now} AND request IS NOT NULL AND ${isOfClass}`.execute(database)
  return {
    waiting: new Map(rows.map(({ tenant, cost }) => [tenant, cost])),
    tasks: rows.reduce((sum, row) => sum + row.tasks, 0),
    seconds,
    atOncePerTenant,
    ...(work.rows[0] ?? { running: 0, runningCost: 0, endedCost: 0 }),
  }
}

interface WaitingRow {
  readonly tenant: string
  readonly tasks: number
  readonly cost: number
  readonly oldest: number
}

type WorkRow = Pick<BacklogState, 'running' | 'runningCost' | 'endedCost'>
