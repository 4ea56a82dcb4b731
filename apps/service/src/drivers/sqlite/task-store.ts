import { sql } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import { WORK_CLASSES } from '../../domain/task-kinds.ts'
import {
  type Lease,
  type ReleaseOptions,
  SUSPECT_CRASHES,
  type TaskError,
  type TaskStore,
} from '../../ports/task-store.ts'
import type { Given } from '../sql/shared-database.ts'
import type { StoresOptions } from '../sql/stores.ts'
import { expireRequests, listTasks, readBacklog, readQueue, taskFromRow } from '../sql/task-rows.ts'
import { createAcceptTask, createInsertWork } from './accept-task.ts'
import { createClaimTask, dropLeases, refund } from './claim-task.ts'
import {
  createEndTask,
  createStoreRequest,
  type EndTask,
  expireInputs,
  forgetTasks,
  inputsInUse,
  resultsInUse,
  retryTask,
  type TaskEnd,
} from './end-task.ts'
import type { ServiceDatabase } from './service-database.ts'

/** No retry waits longer, in milliseconds. */
const LONGEST_DELAY_MS = 60_000

/** Options of {@link createTaskStore}. */
export interface TaskStoreOptions extends StoresOptions {
  /** Milliseconds since 1970. @default the time of the service */
  readonly now?: () => number
}

/**
 * Tasks in SQLite. Every transaction starts with a write, so it never has to upgrade from reader to writer while
 * another process writes.
 */
export function createTaskStore(database: ServiceDatabase, options: TaskStoreOptions = {}): TaskStore {
  const { now = wallClockNow, atOncePerTenant: max = Number.MAX_SAFE_INTEGER, storeFailedRequests = true } = options
  const find = database.read((given: Given<{ readonly id: string; readonly tenant: string }>) =>
    database.selectFrom('tasks').selectAll().where('id', '=', given('id')).where('tenant', '=', given('tenant')),
  )
  const insertWork = createInsertWork(database)
  const accept = createAcceptTask(database, insertWork)
  const claim = createClaimTask(database)
  const endTask = createEndTask(database)
  const remove = createJobRemoval(database)
  const storeRequest = createStoreRequest(database)
  const end = ({ taskId: id, token }: Lease, values: Omit<TaskEnd, 'cost'>): Promise<boolean> =>
    database.atomically(() => {
      const [removed] = remove({ id, token })
      if (removed === undefined) return false
      const time = now()
      endTask(id, { ...values, cost: removed.cost }, time)
      if (storeFailedRequests && values.status === 'FAILED') storeRequest(id, removed, time)
      return true
    })
  return {
    accept: (order) => accept(order, now()),
    begin: (task, milliseconds) =>
      database.atomically(() => {
        insertWork(task, { status: 'PROCESSING', lease: milliseconds, cost: 0, now: now() })
        return { taskId: task.id, token: 1 }
      }),
    list: (tenant, query) => listTasks(database.$pickTables<'tasks'>(), tenant, query),
    async find(tenant, id) {
      const [row] = find({ id, tenant })
      return row === undefined ? undefined : taskFromRow(row)
    },
    claim: (milliseconds, { workClasses = WORK_CLASSES, suspects = false } = {}) =>
      claim({ now: now(), milliseconds, max, workClasses, suspects }),
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
    cancel: (tenant, id, error) => cancelTask(database, endTask, { tenant, id, error, now: now() }),
    release: (lease, release = {}) => releaseTask(database, lease, release, now()),
    dropLeases: (drop = {}) => dropLeases(database, drop, now() + LONGEST_DELAY_MS),
    async countSuspects() {
      const count = sql<number>`count(*)`.as('count')
      const query = database.selectFrom('jobs').select(count).where('crashes', '>=', SUSPECT_CRASHES)
      return (await query.executeTakeFirstOrThrow()).count
    },
    expireInputs: (expiry, error) => expireInputs(database, endTask, { expiry, error, now: now() }),
    backlog: (workClass) => readBacklog(database, { workClass, now: now(), atOncePerTenant: max }),
    queue: (failedSince) => readQueue(database, { now: now(), failedSince }),
    retry: (tenant, id, newId) => retryTask(database, insertWork, { tenant, id, newId, now: now() }),
    expireRequests: (expiry) => expireRequests(database, expiry),
    inputsInUse: (names) => inputsInUse(database, names),
    resultsInUse: (names) => resultsInUse(database, names),
    forget: (expiry) => forgetTasks(database, expiry),
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
  endTask: EndTask,
  { tenant, id, error, now }: Cancellation,
): ReturnType<TaskStore['cancel']> {
  return database.transaction().execute(async (transaction) => {
    const job = transaction.deleteFrom('jobs').where('task_id', '=', id).where('tenant', '=', tenant)
    const removed = await job.returning('input').executeTakeFirst()
    if (removed !== undefined) {
      endTask(id, { status: 'FAILED', error: JSON.stringify(error), cost: 0 }, now)
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

/** Prepares the removal of a job under its current token. Call the result within a transaction. */
function createJobRemoval(database: ServiceDatabase) {
  return database.written((given: Given<{ readonly id: string; readonly token: number }>) =>
    database
      .deleteFrom('jobs')
      .where('task_id', '=', given('id'))
      .where('token', '=', given('token'))
      .returning(['cost', 'tenant', 'request', 'input']),
  )
}
