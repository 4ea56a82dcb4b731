import { calendarNow } from '../../domain/calendar.ts'
import type { Lease, ReleaseOptions, TaskError, TaskStore } from '../../ports/task-store.ts'
import { acceptTask } from './accept-task.ts'
import { readBacklog } from './backlog.ts'
import { claimTask, refund } from './claim-task.ts'
import { expireInputs, forgetTasks, inputsInUse, resultsInUse } from './expiry.ts'
import type { ServiceDatabase } from './service-database.ts'
import { endTask, insertTask, type TaskEnd, taskFromRow } from './task-rows.ts'

/** No retry waits longer, in milliseconds. */
const LONGEST_DELAY_MS = 60_000

/** Options of {@link createTaskStore}. */
export interface TaskStoreOptions {
  /** Milliseconds since 1970. @default the time of the service */
  readonly now?: () => number
  /** Most leased tasks of one tenant. @default no limit */
  readonly atOncePerTenant?: number | undefined
}

/**
 * Tasks in SQLite. Every transaction starts with a write, so it never has to upgrade from reader to writer while
 * another process writes.
 */
export function createTaskStore(database: ServiceDatabase, options: TaskStoreOptions = {}): TaskStore {
  const { now = calendarNow, atOncePerTenant: most = Number.MAX_SAFE_INTEGER } = options
  const find = database.prepared(database.selectFrom('tasks').selectAll().where('id', '=', '').where('tenant', '=', ''))
  const end = (lease: Lease, values: Omit<TaskEnd, 'cost'>): Promise<boolean> =>
    database.transaction().execute(async (transaction) => {
      const job = transaction.deleteFrom('jobs').where('task_id', '=', lease.taskId).where('token', '=', lease.token)
      const removed = await job.returning('cost').executeTakeFirst()
      if (removed === undefined) return false
      await endTask(transaction, lease.taskId, { ...values, ...removed }, now())
      return true
    })
  return {
    accept: (order) => acceptTask(database, order, now()),
    begin: (task, milliseconds) =>
      database.transaction().execute(async (transaction) => {
        const time = now()
        await insertTask(transaction, task, { status: 'PROCESSING', now: time })
        const job = { task_id: task.id, tenant: task.tenant, token: 1, attempts: 1, due_ms: time, created_ms: time }
        await transaction
          .insertInto('jobs')
          .values({ ...job, lease_ms: time + milliseconds, request: null, input: null, kind: '', cost: 0 })
          .execute()
        return { taskId: task.id, token: 1 }
      }),
    async find(tenant, id) {
      const [row] = find(id, tenant)
      return row === undefined ? undefined : taskFromRow(row)
    },
    claim: (milliseconds, { except = [] } = {}) => claimTask(database, { now: now(), milliseconds, most, except }),
    async renew({ taskId, token }, milliseconds) {
      const { numUpdatedRows } = await database
        .updateTable('jobs')
        .set({ lease_ms: now() + milliseconds })
        .where('task_id', '=', taskId)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    succeed: (lease, result, work) => end(lease, { status: 'SUCCESS', result: JSON.stringify(result), work }),
    fail: (lease, error, work) => end(lease, { status: 'FAILED', error: JSON.stringify(error), work }),
    cancel: (tenant, id, error) => cancelTask(database, { tenant, id, error, now: now() }),
    release: (lease, release = {}) => releaseTask(database, lease, release, now()),
    async dropLeases() {
      // A clock that was set back since the last start would delay them.
      const latest = now() + LONGEST_DELAY_MS
      await database.updateTable('jobs').set({ due_ms: latest }).where('due_ms', '>', latest).execute()
      const update = database.updateTable('jobs').set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
      const { numUpdatedRows } = await update.where('lease_ms', 'is not', null).executeTakeFirst()
      return Number(numUpdatedRows)
    },
    expireInputs: (before, error) => expireInputs(database, { before, error, now: now() }),
    backlog: (lane) => readBacklog(database, { lane, now: now(), atOncePerTenant: most }),
    inputsInUse: (names) => inputsInUse(database, names),
    resultsInUse: (names) => resultsInUse(database, names),
    forget: (before) => forgetTasks(database, before),
  }
}

interface Cancellation {
  readonly tenant: string
  readonly id: string
  readonly error: TaskError
  /** Milliseconds since 1970. */
  readonly now: number
}

function cancelTask(
  database: ServiceDatabase,
  { tenant, id, error, now }: Cancellation,
): ReturnType<TaskStore['cancel']> {
  return database.transaction().execute(async (transaction) => {
    const job = transaction.deleteFrom('jobs').where('task_id', '=', id).where('tenant', '=', tenant)
    const removed = await job.returning('input').executeTakeFirst()
    if (removed !== undefined) {
      await endTask(transaction, id, { status: 'FAILED', error: JSON.stringify(error), cost: 0 }, now)
      return { cancelled: true, input: removed.input ?? undefined }
    }
    const ended = await transaction
      .selectFrom('tasks')
      .select('id')
      .where('id', '=', id)
      .where('tenant', '=', tenant)
      .executeTakeFirst()
    return ended === undefined ? undefined : { cancelled: false, input: undefined }
  })
}

/** Returns a task to the queue, and the cost of an attempt that does not count to its tenant. */
function releaseTask(
  database: ServiceDatabase,
  { taskId, token }: Lease,
  { delay = 0, counts = true }: ReleaseOptions,
  now: number,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const job = await transaction
      .updateTable('jobs')
      .set((column) => ({
        lease_ms: null,
        due_ms: now + delay,
        // Ends the lease. It must have no effect from now on, even before another worker has one.
        token: column('token', '+', 1),
        attempts: column('attempts', '-', counts ? 0 : 1),
      }))
      .where('task_id', '=', taskId)
      .where('token', '=', token)
      .returning(['tenant', 'kind', 'cost'])
      .executeTakeFirst()
    if (job !== undefined && !counts) await refund(transaction, job)
    return job !== undefined
  })
}
