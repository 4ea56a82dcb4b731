import { UNKNOWN_COST } from '../../domain/task-kinds.ts'
import type { Acceptance, TaskOrder } from '../../ports/task-store.ts'
import { keyInsert } from '../sql/idempotency-keys.ts'
import type { Given, SharedTables } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'
import { createTaskInsert, type JobColumns, taskFromRow } from './task-rows.ts'

/** Stores idempotency key, task and job in one transaction. For a known key, finds its task. */
export type AcceptTask = (order: TaskOrder, now: number) => Promise<Acceptance>

/** Prepares the acceptance of tasks. */
export function createAcceptTask(database: ServiceDatabase): AcceptTask {
  const insertTask = createTaskInsert(database)
  const insertJob = database.written<JobColumns>((given) =>
    database.insertInto('jobs').values({
      task_id: given('task_id'),
      tenant: given('tenant'),
      kind: given('kind'),
      request: given('request'),
      input: given('input'),
      cost: given('cost'),
      token: 0,
      attempts: 0,
      due_ms: given('now'),
      lease_ms: null,
      created_ms: given('now'),
    }),
  )
  const countOpen = database.written<{ readonly tenant: string }, { readonly open: number }>((given) =>
    database
      .selectFrom('jobs')
      .select((select) => select.fn.countAll<number>().as('open'))
      .where('tenant', '=', given('tenant')),
  )
  const takeKey = createTakeKey(database)
  return (order, now) =>
    database.atomically((): Acceptance => {
      const before = takeKey.take(order)
      if (before !== undefined) return before
      const { id, tenant, kind, webhookUrl, input = null, request, mostOpen = Infinity, cost = UNKNOWN_COST } = order
      if (mostOpen !== Infinity && (countOpen({ tenant })[0]?.open ?? 0) >= mostOpen) {
        takeKey.drop(order)
        return { outcome: 'full' }
      }
      const task = insertTask(order, {
        status: 'PENDING',
        now,
        ...(webhookUrl === undefined ? {} : { webhookUrl }),
      })
      insertJob({ task_id: id, tenant, kind, request: JSON.stringify(request), input, cost, now })
      return { outcome: 'accepted', task }
    })
}

type Ordered = Pick<TaskOrder, 'id' | 'tenant' | 'idempotency'>

function createTakeKey(database: ServiceDatabase): {
  /** Records the key. For a key that is already recorded, returns its outcome. */
  readonly take: (order: Ordered) => Acceptance | undefined
  /** Removes the key. The client may send the same request again when there is room. */
  readonly drop: (order: Ordered) => void
} {
  type Key = { readonly tenant: string; readonly key: string }
  const insert = database.written<
    Key & { readonly fingerprint: string; readonly task: string },
    { readonly key: string }
  >((given) =>
    keyInsert(database.$pickTables<keyof SharedTables>(), {
      tenant: given('tenant'),
      key: given('key'),
      fingerprint: given('fingerprint'),
      task_id: given('task'),
      file_id: null,
    }),
  )
  const find = database.written((given: Given<Key>) =>
    database
      .selectFrom('idempotency_keys')
      .innerJoin('tasks', 'tasks.id', 'idempotency_keys.task_id')
      .selectAll('tasks')
      .select('fingerprint')
      .where('idempotency_keys.tenant', '=', given('tenant'))
      .where('key', '=', given('key')),
  )
  const drop = database.written((given: Given<Key>) =>
    database.deleteFrom('idempotency_keys').where('tenant', '=', given('tenant')).where('key', '=', given('key')),
  )
  return {
    take({ id, tenant, idempotency }) {
      if (idempotency === undefined) return undefined
      const { key, fingerprint } = idempotency
      if (insert({ tenant, key, fingerprint, task: id }).length > 0) return undefined
      const [row] = find({ tenant, key })
      // A key without a task has made something else, or was answered at once.
      if (row?.fingerprint !== fingerprint) return { outcome: 'conflict' }
      return { outcome: 'repeated', task: taskFromRow(row) }
    },
    drop({ tenant, idempotency }) {
      if (idempotency !== undefined) drop({ tenant, key: idempotency.key })
    },
  }
}
