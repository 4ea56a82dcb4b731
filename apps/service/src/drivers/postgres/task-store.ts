import { sql } from 'kysely'
import type { Claim, Lease, ReleaseOptions, TaskStore } from '../../ports/task-store.ts'
import { readBacklog } from '../sqlite/backlog.ts'
import { claimFromRows, taskFromRow } from '../sqlite/task-rows.ts'
import { acceptTask, insertWork } from './accept-task.ts'
import { cancelTask, endTask } from './end-task.ts'
import { momentOf, type Now, type PostgresDatabase, timeOf } from './database.ts'
import { expireInputs, forgetTasks, inputsInUse, resultsInUse } from './expiry.ts'
import { type PostgresTables, SCHEMA } from './tables.ts'

/** Options of {@link createTaskStore}. */
export interface TaskStoreOptions {
  /** @default the clock of the database */
  readonly now?: Now | undefined
  /** Most leased tasks of one tenant in the cluster. @default no limit */
  readonly atOncePerTenant?: number | undefined
}

type TaskRow = PostgresTables['tasks'] & { readonly sequence: number }

/** What the function that claims returns: columns of the task and of its job. */
type ClaimRow = Omit<TaskRow, 'sequence' | 'cost'> &
  Pick<PostgresTables['jobs'], 'token' | 'attempts' | 'request' | 'input'>

/**
 * Tasks in PostgreSQL. Every change is one statement or one short transaction, so that a process that stops in the
 * middle holds no lock for long.
 */
export function createTaskStore(database: PostgresDatabase, options: TaskStoreOptions = {}): TaskStore {
  const { now, atOncePerTenant: most = Number.MAX_SAFE_INTEGER } = options
  return {
    accept: (order) => acceptTask(database, order, now),
    async begin(task, milliseconds) {
      await insertWork(database, task, { status: 'PROCESSING', lease: milliseconds, cost: 0 }, now)
      return { taskId: task.id, token: 1 }
    },
    async find(tenant, id) {
      const query = database.selectFrom('tasks').selectAll().where('id', '=', id).where('tenant', '=', tenant)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : taskFromRow(row)
    },
    async claim(milliseconds, { except = [] } = {}) {
      const { rows } = await sql<ClaimRow>`
        SELECT * FROM svc_audio.claim_task_3(
          ${momentOf(now)}, ${milliseconds}, ${most}, ${[...except]}::text[])`.execute(database)
      return rows[0] === undefined ? undefined : claimOf(rows[0])
    },
    async renew({ taskId, token }, milliseconds) {
      const { numUpdatedRows } = await database
        .updateTable('jobs')
        .set({ lease_ms: sql<number>`${timeOf(now)} + ${milliseconds}` })
        .where('task_id', '=', taskId)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    succeed: (lease, result, work) =>
      endTask(database, lease, { status: 'SUCCESS', result: JSON.stringify(result), error: null, work }, now),
    fail: (lease, error, work) =>
      endTask(database, lease, { status: 'FAILED', result: null, error: JSON.stringify(error), work }, now),
    cancel: (tenant, id, error) => cancelTask(database, { tenant, id, error: JSON.stringify(error) }, now),
    release: (lease, releaseOptions) => releaseTask(database, lease, { ...releaseOptions, now }),
    async dropLeases() {
      const update = database.updateTable('jobs').set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
      const { numUpdatedRows } = await update.where('lease_ms', 'is not', null).executeTakeFirst()
      return Number(numUpdatedRows)
    },
    expireInputs: (before, error) => expireInputs(database, { before, error }, now),
    async backlog(lane) {
      const { rows } = await sql<{ ms: number }>`SELECT ${timeOf(now)} AS ms`.execute(database)
      const terms = { lane, now: rows[0]?.ms ?? 0, atOncePerTenant: most, schema: `${SCHEMA}.` }
      return readBacklog(database, terms)
    },
    inputsInUse: (names) => inputsInUse(database, names),
    resultsInUse: (names) => resultsInUse(database, names),
    forget: (before) => forgetTasks(database, before),
  }
}

/** Returns a task to the queue, and the cost of an attempt that does not count to its tenant. */
async function releaseTask(
  database: PostgresDatabase,
  { taskId, token }: Lease,
  { delay = 0, counts = true, now }: ReleaseOptions & { readonly now: Now | undefined },
): Promise<boolean> {
  // The new token ends the lease. It must have no effect from now on, even before another worker has one.
  const { rows } = await sql<{ task_id: string }>`
    WITH job AS (
      UPDATE svc_audio.jobs SET lease_ms = NULL, due_ms = ${timeOf(now)} + ${delay}, token = token + 1,
        attempts = attempts - ${counts ? 0 : 1}
      WHERE task_id = ${taskId} AND token = ${token} RETURNING task_id, tenant, kind, cost
    ), refund AS (
      UPDATE svc_audio.shares SET spent = spent - job.cost FROM job
      WHERE ${!counts} AND shares.tenant = job.tenant AND shares.lane = svc_audio.lane_of(job.kind)
    ) SELECT task_id FROM job`.execute(database)
  return rows.length > 0
}

function claimOf(row: ClaimRow): Claim {
  const { token, attempts, request, input, ...task } = row
  // Sequence and cost are not part of a claim.
  return claimFromRows(
    { ...task, sequence: 0, cost: null },
    { ...JOB, task_id: task.id, tenant: task.tenant, token, attempts, request, input },
  )
}

/** The columns of a job that a claim does not read. */
const JOB = { sequence: 0, due_ms: 0, lease_ms: null, created_ms: 0, kind: '', cost: 0 } as const
