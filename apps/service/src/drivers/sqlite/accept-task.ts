import type { SQLInputValue } from 'node:sqlite'
import { UNKNOWN_COST } from '../../domain/task-kinds.ts'
import type { Acceptance, NewTask, StoredTask, TaskKind, TaskOrder, TaskStatus } from '../../ports/task-store.ts'
import { keyInsert } from '../sql/response-store.ts'
import type { Given, SharedTables } from '../sql/shared-database.ts'
import { taskFromRow } from '../sql/task-rows.ts'
import type { ServiceDatabase } from './service-database.ts'

/** Stores idempotency key, task and job in one transaction. For a known key, finds its task. */
export type AcceptTask = (order: TaskOrder, now: number) => Promise<Acceptance>

/** Prepares the acceptance of tasks. */
export function createAcceptTask(database: ServiceDatabase, insertWork: InsertWork): AcceptTask {
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
      const { tenant, webhookUrl, input, request, mostOpen = Infinity, cost } = order
      if (mostOpen !== Infinity && (countOpen({ tenant })[0]?.open ?? 0) >= mostOpen) {
        takeKey.drop(order)
        return { outcome: 'full' }
      }
      const work = { status: 'PENDING', webhookUrl, request: JSON.stringify(request), input, cost, now } as const
      return { outcome: 'accepted', task: insertWork(order, work) }
    })
}

/** What a new task begins with. */
export interface NewWork {
  readonly status: 'PENDING' | 'PROCESSING'
  readonly webhookUrl?: string | undefined
  /** The request as JSON. @default none: a stream */
  readonly request?: string
  readonly input?: string | null | undefined
  /** Length of a first lease, in milliseconds. @default none */
  readonly lease?: number
  /** Estimated processor time, in milliseconds. @default 1000 */
  readonly cost?: number | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Adds a task and its job. Call it within a transaction. */
export type InsertWork = (task: NewTask, work: NewWork) => StoredTask

interface TaskColumns extends Readonly<Record<string, SQLInputValue>> {
  readonly id: string
  readonly tenant: string
  readonly kind: TaskKind
  readonly status: TaskStatus
  readonly model: string
  readonly seconds: number
  readonly webhook_url: string | null
  readonly trace: string | null
}

interface JobColumns extends Readonly<Record<string, SQLInputValue>> {
  readonly id: string
  readonly tenant: string
  readonly kind: TaskKind | ''
  readonly request: string | null
  readonly input: string | null
  readonly cost: number
  /** Number of leases so far. */
  readonly leases: number
  readonly until: number | null
  readonly now: number
}

/** Prepares the insertion of tasks and their jobs. */
export function createInsertWork(database: ServiceDatabase): InsertWork {
  const insertTask = database.written((given: Given<TaskColumns>) =>
    database.insertInto('tasks').values({
      id: given('id'),
      tenant: given('tenant'),
      kind: given('kind'),
      status: given('status'),
      model: given('model'),
      created_at: given('seconds'),
      updated_at: given('seconds'),
      result: null,
      error: null,
      webhook_url: given('webhook_url'),
      trace: given('trace'),
    }),
  )
  const insertJob = database.written((given: Given<JobColumns>) =>
    database.insertInto('jobs').values({
      task_id: given('id'),
      tenant: given('tenant'),
      kind: given('kind'),
      request: given('request'),
      input: given('input'),
      cost: given('cost'),
      token: given('leases'),
      attempts: given('leases'),
      due_ms: given('now'),
      lease_ms: given('until'),
      created_ms: given('now'),
    }),
  )
  return ({ id, tenant, kind, model, trace }, work) => {
    const { status, webhookUrl, request = null, input = null, lease, cost = UNKNOWN_COST, now } = work
    const seconds = Math.floor(now / 1000)
    const task = { id, tenant, kind, model, status }
    const stored = trace === undefined ? null : JSON.stringify(trace)
    insertTask({ ...task, seconds, webhook_url: webhookUrl ?? null, trace: stored })
    insertJob({
      id,
      tenant,
      // A stream has no kind.
      kind: request === null ? '' : kind,
      request,
      input,
      cost,
      leases: lease === undefined ? 0 : 1,
      until: lease === undefined ? null : now + lease,
      now,
    })
    return {
      ...task,
      createdAt: seconds,
      updatedAt: seconds,
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(trace === undefined ? {} : { trace }),
    }
  }
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
