import { type Kysely, sql, type Transaction } from 'kysely'
import { UNKNOWN_COST } from '../../domain/task-kinds.ts'
import type { Acceptance, NewTask, StoredTask, TaskOrder } from '../../ports/task-store.ts'
import { taskFromRow } from '../sql/task-rows.ts'
import { lockSubject, type Now, type PostgresDatabase, type PostgresTables, timeOf } from './database.ts'
import { insertKey } from '../sql/response-store.ts'

/**
 * Stores idempotency key, task and job together. For a known key, finds its task. Without key and limit, it is one
 * statement.
 */
export function acceptTask(database: PostgresDatabase, order: TaskOrder, now?: Now): Promise<Acceptance> {
  const { tenant, idempotency, mostOpen = Infinity } = order
  if (idempotency === undefined && mostOpen === Infinity) return insertOrder(database, order, now)
  return database.transaction().execute(async (transaction) => {
    // Always in this order, so that two orders never wait for each other.
    if (idempotency !== undefined) await lockSubject(transaction, 'key', tenant, idempotency.key)
    const before = await findOrder(transaction, order)
    if (before !== undefined) return before
    if (mostOpen !== Infinity) {
      await lockSubject(transaction, 'open tasks', tenant)
      if ((await countOpen(transaction, tenant, mostOpen)) >= mostOpen) return { outcome: 'full' }
    }
    if (idempotency !== undefined && !(await insertKey(transaction, { tenant, idempotency, task: order.id }))) {
      return { outcome: 'conflict' }
    }
    return insertOrder(transaction, order, now)
  })
}

/** Adds a task and its job in one statement. */
export async function insertWork(
  database: Kysely<PostgresTables>,
  { id, tenant, kind, model, trace }: NewTask,
  values: {
    readonly status: 'PENDING' | 'PROCESSING'
    readonly request?: string
    readonly input?: string | undefined
    readonly webhookUrl?: string | undefined
    /** Length of a first lease, in milliseconds. @default none */
    readonly lease?: number
    readonly cost?: number | undefined
  },
  now?: Now,
): Promise<StoredTask> {
  const { status, request = null, input = null, webhookUrl = null, lease = null, cost = UNKNOWN_COST } = values
  const held = lease === null ? 0 : 1
  const stored = trace === undefined ? null : JSON.stringify(trace)
  const { rows } = await sql<PostgresTables['tasks'] & { sequence: number }>`
    WITH moment AS MATERIALIZED (SELECT ${timeOf(now)} AS ms), task AS (
      INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at, webhook_url, trace)
      SELECT ${id}::text, ${tenant}::text, ${kind}::text, ${status}::text, ${model}::text,
        ms / 1000, ms / 1000, ${webhookUrl}::text, ${stored}::text FROM moment RETURNING *
    ), job AS (
      INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, input, token, attempts, due_ms, lease_ms, created_ms, cost)
      SELECT ${id}::text, ${tenant}::text, ${kind}::text, ${request}::text, ${input}::text,
        ${held}::bigint, ${held}::integer, ms, ms + ${lease}::bigint, ms, ${cost}::bigint FROM moment
    ) SELECT * FROM task`.execute(database)
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no task')
  return taskFromRow(row)
}

async function insertOrder(database: Kysely<PostgresTables>, order: TaskOrder, now?: Now): Promise<Acceptance> {
  const { request, input, webhookUrl, cost } = order
  const values = { status: 'PENDING', request: JSON.stringify(request), input, webhookUrl, cost } as const
  return { outcome: 'accepted', task: await insertWork(database, order, values, now) }
}

/** Counts open tasks, but no more than `max`. */
async function countOpen(transaction: Transaction<PostgresTables>, tenant: string, max: number): Promise<number> {
  // No index has all jobs of a tenant: a claim would have to write an entry of it, on a page of that tenant.
  const { rows } = await sql<{ open: number }>`
    SELECT count(*) AS open FROM (
      (SELECT 1 FROM svc_audio.jobs WHERE tenant = ${tenant} AND lease_ms IS NULL LIMIT ${max})
      UNION ALL
      (SELECT 1 FROM svc_audio.jobs WHERE tenant = ${tenant} AND lease_ms IS NOT NULL LIMIT ${max})
      LIMIT ${max}
    ) AS counted`.execute(transaction)
  return rows[0]?.open ?? 0
}

/** Finds the task of a known key. A key of anything else is a conflict. */
async function findOrder(
  transaction: Transaction<PostgresTables>,
  { tenant, idempotency }: TaskOrder,
): Promise<Acceptance | undefined> {
  if (idempotency === undefined) return undefined
  const key = await transaction
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'task_id'])
    .where('tenant', '=', tenant)
    .where('key', '=', idempotency.key)
    .executeTakeFirst()
  if (key === undefined) return undefined
  if (key.fingerprint !== idempotency.fingerprint || key.task_id === null) return { outcome: 'conflict' }
  const row = await transaction.selectFrom('tasks').selectAll().where('id', '=', key.task_id).executeTakeFirstOrThrow()
  return { outcome: 'repeated', task: taskFromRow(row) }
}
