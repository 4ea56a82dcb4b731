import type { Kysely, Transaction } from 'kysely'
import { UNKNOWN_COST } from '../../domain/lanes.ts'
import type { Acceptance, TaskOrder } from '../../ports/task-store.ts'
import { insertKey } from './idempotency-keys.ts'
import { insertTask, taskFromRow } from './task-rows.ts'
import type { Tables } from './tables.ts'

/** Stores idempotency key, task and job in one transaction. For a known key, finds its task. */
export function acceptTask(database: Kysely<Tables>, order: TaskOrder, now: number): Promise<Acceptance> {
  return database.transaction().execute(async (transaction) => {
    const before = await takeKey(transaction, order)
    if (before !== undefined) return before
    const { id, tenant, webhookUrl, input, request, mostOpen, cost = UNKNOWN_COST } = order
    if (mostOpen !== undefined && (await countOpen(transaction, tenant)) >= mostOpen) {
      if (order.idempotency !== undefined) await dropKey(transaction, tenant, order.idempotency.key)
      return { outcome: 'full' }
    }
    const task = await insertTask(transaction, order, {
      status: 'PENDING',
      now,
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
    })
    const job = { task_id: id, tenant, kind: order.kind, request: JSON.stringify(request), input: input ?? null, cost }
    const state = { token: 0, attempts: 0, due_ms: now, lease_ms: null, created_ms: now }
    await transaction
      .insertInto('jobs')
      .values({ ...job, ...state })
      .execute()
    return { outcome: 'accepted', task }
  })
}

async function countOpen(transaction: Transaction<Tables>, tenant: string): Promise<number> {
  const count = transaction.selectFrom('jobs').select((select) => select.fn.countAll<number>().as('open'))
  return (await count.where('tenant', '=', tenant).executeTakeFirstOrThrow()).open
}

/** The client may send the same request again when there is room. */
async function dropKey(transaction: Transaction<Tables>, tenant: string, key: string): Promise<void> {
  await transaction.deleteFrom('idempotency_keys').where('tenant', '=', tenant).where('key', '=', key).execute()
}

/** Records the key. For a key that is already recorded, returns its outcome. */
async function takeKey(
  transaction: Transaction<Tables>,
  { id, tenant, idempotency }: TaskOrder,
): Promise<Acceptance | undefined> {
  if (idempotency === undefined || (await insertKey(transaction, { tenant, idempotency, task: id }))) return undefined
  const row = await transaction
    .selectFrom('idempotency_keys')
    .innerJoin('tasks', 'tasks.id', 'idempotency_keys.task_id')
    .selectAll('tasks')
    .select('fingerprint')
    .where('idempotency_keys.tenant', '=', tenant)
    .where('key', '=', idempotency.key)
    .executeTakeFirst()
  // A key without a task has made something else, or was answered at once.
  if (row?.fingerprint !== idempotency.fingerprint) return { outcome: 'conflict' }
  return { outcome: 'repeated', task: taskFromRow(row) }
}
