import { type Kysely, type QueryExecutorProvider, type RawBuilder, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { RECOGNITION_KIND, type WorkClass } from '../../domain/task-kinds.ts'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { Expired, Expiry } from '../../ports/expiry.ts'
import type { JsonObject } from '../../ports/response-store.ts'
import {
  type BacklogState,
  type Claim,
  MOST_BACKLOG_SECONDS,
  type QueueLine,
  type StoredTask,
  type TaskQuery,
} from '../../ports/task-store.ts'
import { nextOf } from './shared-database.ts'
import type { CommonTables } from './tables.ts'

const Failure = z.object({ code: z.string(), message: z.string() })

/** The columns of a task that its clients and workers need. */
export type TaskRow = Omit<Selectable<CommonTables['tasks']>, 'sequence' | 'cost'>

/** Reads a task from its row. Without copies of parts: each poll of a client needs it. */
export function taskFromRow(row: TaskRow): StoredTask {
  const { id, tenant, kind, status, model, created_at: createdAt, updated_at: updatedAt } = row
  const task: Writable<StoredTask> = { id, tenant, kind, status, model, createdAt, updatedAt }
  if (row.result !== null) task.result = readObject(row.result)
  if (row.error !== null) task.error = Failure.parse(JSON.parse(row.error))
  if (row.webhook_url !== null) task.webhookUrl = row.webhook_url
  if (row.trace !== null) task.trace = readTrace(row.trace)
  return task
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Checks by hand: each read of a task needs it, and a schema takes longer than the rest of the row. */
function readTrace(column: string): TaskTrace {
  const { requestId, traceparent, tracestate } = readObject(column)
  if (typeof requestId !== 'string') throw new TypeError('The trace of a task must have the id of its request')
  const trace: Writable<TaskTrace> = { requestId }
  if (typeof traceparent === 'string') trace.traceparent = traceparent
  if (typeof tracestate === 'string') trace.tracestate = tracestate
  return trace
}

/** Lists a tenant's tasks, the newest first. */
export async function listTasks(
  database: Pick<Kysely<Pick<CommonTables, 'tasks'>>, 'selectFrom'>,
  tenant: string,
  { limit, status }: TaskQuery,
): Promise<StoredTask[]> {
  const all = database.selectFrom('tasks').selectAll().where('tenant', '=', tenant)
  const some = status === undefined ? all : all.where('status', '=', status)
  return (await some.orderBy('sequence', 'desc').limit(limit).execute()).map(taskFromRow)
}

/** The columns of a job that a claim needs. A cluster has no crashes: such a start is an attempt. */
export interface ClaimedJob {
  readonly token: number
  readonly attempts: number
  readonly request: string | null
  readonly input: string | null
  readonly crashes?: number
  readonly interruptions?: number
}

/** Reads a claim from the rows of task and job. */
export function claimFromRows(task: TaskRow, job: ClaimedJob): Claim {
  const { token, attempts: attempt, request, input, crashes = 0, interruptions = 0 } = job
  return {
    taskId: task.id,
    token,
    task: taskFromRow(task),
    request: request === null ? undefined : readObject(request),
    input: input ?? undefined,
    attempt,
    crashes,
    interruptions,
  }
}

/**
 * Parses an object that this service wrote to a column.
 * @throws SyntaxError or TypeError when the column holds anything else
 */
export function readObject(column: string): JsonObject {
  const value: unknown = JSON.parse(column)
  if (!isObject(value)) throw new TypeError('The JSON of a column must be an object')
  return value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Options of {@link readQueue}. */
interface QueueTerms {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Tasks that failed before do not count. Milliseconds since 1970. */
  readonly failedSince: number
}

/** Reads the open and the recently failed tasks by tenant and kind: whole tables, for one machine. */
export async function readQueue(database: QueryExecutorProvider, terms: QueueTerms): Promise<QueueLine[]> {
  const { now, failedSince } = terms
  const failed = await sql<Pick<QueueLine, 'tenant' | 'kind' | 'failed'>>`
    SELECT tenant, kind, count(*) AS failed FROM tasks
    WHERE status = 'FAILED' AND updated_at >= ${Math.floor(failedSince / 1000)} GROUP BY tenant, kind`.execute(database)
  return linesOf(await readOpen(database, { now }), failed.rows)
}

/** Reads the open tasks by tenant and kind. */
export async function readOpen(
  database: QueryExecutorProvider,
  { now, schema = '' }: { readonly now: number; readonly schema?: string },
): Promise<readonly QueueCounts[]> {
  const [jobs, tasks] = [sql.table(`${schema}jobs`), sql.table(`${schema}tasks`)]
  const isWaiting = sql`(j.lease_ms IS NULL OR j.lease_ms <= ${now})`
  const open = await sql<Omit<QueueLine, 'failed' | 'oldestMs'> & { readonly oldest: number | null }>`
    SELECT t.tenant, t.kind,
      cast(sum(CASE WHEN ${isWaiting} THEN 1 ELSE 0 END) AS bigint) AS waiting,
      cast(sum(CASE WHEN ${isWaiting} THEN 0 ELSE 1 END) AS bigint) AS running,
      cast(sum(CASE WHEN ${isWaiting} THEN j.cost ELSE 0 END) AS bigint) AS cost,
      min(CASE WHEN ${isWaiting} THEN j.due_ms END) AS oldest
    FROM ${jobs} AS j JOIN ${tasks} AS t ON t.id = j.task_id GROUP BY t.tenant, t.kind`.execute(database)
  return open.rows.map(({ tenant, kind, waiting, running, cost, oldest }) => {
    const oldestMs = oldest === null ? 0 : Math.max(0, now - oldest)
    return { tenant, kind, waiting, running, cost, oldestMs }
  })
}

/** A line of the queue, or some of its numbers. */
export type QueueCounts = Pick<QueueLine, 'tenant' | 'kind'> & Partial<QueueLine>

/** Joins numbers of the queue into one line for each tenant and kind, in their order. Later numbers replace earlier ones. */
export function linesOf(...counts: readonly (readonly QueueCounts[])[]): QueueLine[] {
  const lines = new Map<string, QueueLine>()
  for (const row of counts.flat()) lines.set(lineKey(row), { ...(lines.get(lineKey(row)) ?? NOTHING), ...row })
  return [...lines.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

const NOTHING = { waiting: 0, running: 0, cost: 0, oldestMs: 0, failed: 0 }

/** Names a line of the queue. */
export function lineKey({ tenant, kind }: Pick<QueueLine, 'tenant' | 'kind'>): string {
  return JSON.stringify([tenant, kind])
}

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
  /** A part of the jobs that is read for all. @default all are read */
  readonly sample?: {
    readonly table: RawBuilder<unknown>
    /** What each job of the part stands for. */
    readonly factor: number
    /** When the oldest waiting job of all was due, in milliseconds since 1970. */
    readonly oldest: number
  }
}

/** Reads the waiting, the running and the recently ended tasks of a work class. Streams never wait. */
export async function readBacklog(database: QueryExecutorProvider, terms: BacklogTerms): Promise<BacklogState> {
  const { workClass, now, atOncePerTenant, schema = '', endedColumn = 'updated_at', sample } = terms
  const [jobs, tasks] = [sql.table(`${schema}jobs`), sql.table(`${schema}tasks`)]
  const isOfClass = workClass === 'recognition' ? sql`kind = ${RECOGNITION_KIND}` : sql`kind <> ${RECOGNITION_KIND}`
  const { rows } = await sql<WaitingRow>`
    SELECT tenant, count(*) AS tasks, cast(sum(cost) AS bigint) AS cost, min(due_ms) AS oldest FROM ${sample?.table ?? jobs}
    WHERE request IS NOT NULL AND due_ms <= ${now} AND (lease_ms IS NULL OR lease_ms <= ${now}) AND ${isOfClass}
    GROUP BY tenant`.execute(database)
  const { factor = 1 } = sample ?? {}
  const oldest = sample?.oldest ?? rows.reduce((min, row) => Math.min(min, row.oldest), now)
  const seconds = Math.min(MOST_BACKLOG_SECONDS, Math.floor((now - oldest) / 1000))
  // The bound is a value: the planner knows how few rows it selects.
  const since = Math.floor(now / 1000) - seconds
  const work = await sql<WorkRow>`SELECT
      count(*) AS running, cast(coalesce(sum(cost), 0) AS bigint) AS "runningCost",
      (SELECT cast(coalesce(sum(cost), 0) AS bigint) FROM ${tasks}
        WHERE status IN ('SUCCESS', 'FAILED') AND ${sql.ref(endedColumn)} > ${since} AND ${isOfClass}) AS "endedCost"
    FROM ${jobs} WHERE lease_ms > ${now} AND request IS NOT NULL AND ${isOfClass}`.execute(database)
  return {
    waiting: new Map(rows.map(({ tenant, cost }) => [tenant, cost * factor])),
    tasks: rows.reduce((sum, row) => sum + row.tasks * factor, 0),
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

/** Deletes the requests of tasks that failed before a time. */
export async function expireRequests(
  database: Pick<Kysely<Pick<CommonTables, 'failed_requests'>>, 'deleteFrom' | 'selectFrom'>,
  expiry: Expiry,
): Promise<Expired> {
  const { before, limit, from = 0 } = expiry
  const old = database
    .selectFrom('failed_requests')
    .select('task_id')
    .where('failed_ms', '>=', from)
    .where('failed_ms', '<', before)
    .orderBy('failed_ms')
    .limit(limit)
  const rows = await database
    .deleteFrom('failed_requests')
    .where('task_id', 'in', old)
    .returning(['input', 'failed_ms'])
    .execute()
  const objects = rows.flatMap(({ input }) => (input === null ? [] : [input]))
  return {
    count: rows.length,
    objects,
    next: nextOf(
      expiry,
      rows.map((row) => row.failed_ms),
    ),
  }
}
