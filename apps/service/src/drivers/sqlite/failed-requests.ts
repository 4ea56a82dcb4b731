import type { SQLInputValue } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { UNKNOWN_COST } from '../../domain/task-kinds.ts'
import type { StoredTask } from '../../ports/task-store.ts'
import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'
import { type createTaskInsert, taskFromRow } from './task-rows.ts'
import type { Tables } from './tables.ts'

/** Stores the request of a task that has just failed, from its job. A stream has none. */
type StoreRequest = (id: string, job: Pick<Tables['jobs'], 'tenant' | 'request' | 'input'>, now: number) => void

/** Prepares the insertion of requests. Call the result within a transaction. */
export function createStoreRequest(database: ServiceDatabase): StoreRequest {
  interface Columns extends Readonly<Record<string, SQLInputValue>> {
    readonly id: string
    readonly tenant: string
    readonly request: string
    readonly input: string | null
    readonly now: number
  }
  const insert = database.written((given: Given<Columns>) =>
    database.insertInto('failed_requests').values({
      task_id: given('id'),
      tenant: given('tenant'),
      request: given('request'),
      input: given('input'),
      failed_ms: given('now'),
    }),
  )
  return (id, { tenant, request, input }, now) => {
    if (request !== null) insert({ id, tenant, request, input, now })
  }
}

/** What {@link retryTask} takes. */
interface Retry {
  readonly tenant: string
  readonly id: string
  readonly newId: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Moves the request of a failed task to a new task. */
export function retryTask(
  database: ServiceDatabase,
  insertTask: ReturnType<typeof createTaskInsert>,
  { tenant, id, newId, now }: Retry,
): Promise<StoredTask | undefined> {
  return database.transaction().execute(async (transaction) => {
    const stored = await transaction
      .deleteFrom('failed_requests')
      .where('task_id', '=', id)
      .where('tenant', '=', tenant)
      .returning(['request', 'input'])
      .executeTakeFirst()
    if (stored === undefined) return undefined
    const row = await transaction.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const failed = taskFromRow(row)
    const { kind, model, trace, webhookUrl } = failed
    const task = insertTask(
      { id: newId, tenant, kind, model, ...(trace === undefined ? {} : { trace }) },
      { status: 'PENDING', now, ...(webhookUrl === undefined ? {} : { webhookUrl }) },
    )
    const job = { task_id: newId, tenant, kind, ...stored, cost: row.cost ?? UNKNOWN_COST }
    const state = { token: 0, attempts: 0, due_ms: now, lease_ms: null, created_ms: now }
    await transaction
      .insertInto('jobs')
      .values({ ...job, ...state })
      .execute()
    return task
  })
}

/** Deletes the requests of tasks that failed before a time. Returns their inputs. */
export async function expireRequests(
  database: Pick<Kysely<Pick<Tables, 'failed_requests'>>, 'deleteFrom'>,
  before: number,
): Promise<string[]> {
  const rows = await database.deleteFrom('failed_requests').where('failed_ms', '<', before).returning('input').execute()
  return rows.flatMap(({ input }) => (input === null ? [] : [input]))
}
