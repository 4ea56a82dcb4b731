import { randomBytes } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { dayOf, usageKindOf, type Work } from '../../domain/usage.ts'
import type { Expired, Expiry } from '../../ports/expiry.ts'
import type { StoredTask, TaskError, TaskStatus } from '../../ports/task-store.ts'
import { type Given, nextOf } from '../sql/shared-database.ts'
import type { UsageTables } from '../sql/tables.ts'
import { taskFromRow } from '../sql/task-rows.ts'
import { type AddedUsage, usageColumns, usageInsert } from '../sql/usage-store.ts'
import type { InsertWork } from './accept-task.ts'
import type { ServiceDatabase, Tables } from './service-database.ts'

/** The end of a task, as columns. */
export interface TaskEnd {
  readonly status: 'SUCCESS' | 'FAILED'
  readonly result?: string
  readonly error?: string
  /** Estimated processor time of the work, in milliseconds. 0 for a task that no worker has ended. */
  readonly cost: number
  /** What the task counts as. @default only the task itself */
  readonly work?: Work | undefined
}

/** Ends a task whose job was just removed, counts its usage, and puts its webhook into the outbox. */
export type EndTask = (id: string, end: TaskEnd, now: number) => void

/** Prepares the ends of tasks. Call the result within a transaction. */
export function createEndTask(database: ServiceDatabase): EndTask {
  interface Columns extends Readonly<Record<string, SQLInputValue>> {
    readonly id: string
    readonly status: TaskStatus
    readonly result: string | null
    readonly error: string | null
    readonly cost: number
    readonly seconds: number
  }
  const update = database.written((given: Given<Columns>) =>
    database
      .updateTable('tasks')
      .set({
        status: given('status'),
        result: given('result'),
        error: given('error'),
        cost: given('cost'),
        updated_at: given('seconds'),
      })
      .where('id', '=', given('id'))
      .returning(['webhook_url', 'tenant', 'kind']),
  )
  const addUsage = createUsageInsert(database)
  const insertWebhook = database.written(
    (
      given: Given<{
        readonly id: string
        readonly task: string
        readonly tenant: string
        readonly url: string
        readonly now: number
      }>,
    ) =>
      database.insertInto('webhooks').values({
        id: given('id'),
        task_id: given('task'),
        tenant: given('tenant'),
        url: given('url'),
        status: 'pending',
        attempts: 0,
        token: 0,
        due_ms: given('now'),
        lease_ms: null,
        outcome: null,
        created_ms: given('now'),
      }),
  )
  return (id, { work, status, result = null, error = null, cost }, now) => {
    const [task] = update({ id, status, result, error, cost, seconds: Math.floor(now / 1000) })
    if (task === undefined) throw new Error(`The task ${id} has a job and no row`)
    const { webhook_url: url, tenant, kind } = task
    const ended = status === 'SUCCESS' ? { succeeded: 1 } : { failed: 1 }
    addUsage({ tenant, day: dayOf(now), kind: usageKindOf(kind), ...ended, ...work })
    if (url !== null) insertWebhook({ id: `msg_${randomBytes(16).toString('hex')}`, task: id, tenant, url, now })
  }
}

/** Prepares the addition of amounts to a sum. Call the result within a transaction. */
export function createUsageInsert(database: ServiceDatabase): (row: AddedUsage) => void {
  type Columns = { readonly [Name in keyof UsageTables['usage']]: UsageTables['usage'][Name] }
  const add = database.written((given: Given<Columns>) =>
    usageInsert(database.$pickTables<'usage' | 'usage_batches'>(), [
      {
        day: given('day'),
        tenant: given('tenant'),
        kind: given('kind'),
        slot: given('slot'),
        requests: given('requests'),
        succeeded: given('succeeded'),
        failed: given('failed'),
        characters: given('characters'),
        speech_ms: given('speech_ms'),
        recording_ms: given('recording_ms'),
        stored_bytes: given('stored_bytes'),
      },
    ]),
  )
  return (row) => void add(usageColumns(row))
}

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

/** Moves the request of a failed task to a new task. @param now Milliseconds since 1970 */
export function retryTask(
  database: ServiceDatabase,
  insertWork: InsertWork,
  { tenant, id, newId, now }: Readonly<Record<'tenant' | 'id' | 'newId', string>> & { readonly now: number },
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
    const { webhookUrl, ...failed } = taskFromRow(row)
    return insertWork(
      { ...failed, id: newId },
      { status: 'PENDING', webhookUrl, ...stored, cost: row.cost ?? undefined, now },
    )
  })
}

/**
 * Fails the tasks that waited longer than their input is stored. Jobs are in the order of their acceptance: a batch reads
 * some of the oldest ones, and the next batch those behind them.
 */
export async function expireInputs(
  database: Kysely<Tables>,
  endTask: EndTask,
  { expiry, error, now }: { readonly expiry: Expiry; readonly error: TaskError; readonly now: number },
): Promise<Expired> {
  const { before, limit, from = -1 } = expiry
  const page = await database
    .selectFrom('jobs')
    .select(['sequence', 'created_ms'])
    .where('sequence', '>', from)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  const last = page.at(-1)
  if (last === undefined) return { count: 0, objects: [] }
  return database.transaction().execute(async (transaction) => {
    const jobs = await transaction
      .deleteFrom('jobs')
      .where('sequence', '>', from)
      .where('sequence', '<=', last.sequence)
      .where('input', 'is not', null)
      .where('created_ms', '<', before)
      .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', now)]))
      .returning(['task_id', 'input'])
      .execute()
    for (const { task_id: id } of jobs) {
      endTask(id, { status: 'FAILED', error: JSON.stringify(error), cost: 0 }, now)
    }
    const objects = jobs.flatMap(({ input }) => (input === null ? [] : [input]))
    const isLast = page.length < limit || last.created_ms >= before
    return { count: jobs.length, objects, next: isLast ? undefined : last.sequence }
  })
}

/** Finds the objects that a job or a stored request still needs. */
export async function inputsInUse(database: Kysely<Tables>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  // SQLite accepts 32766 variables in a statement.
  for (let from = 0; from < names.length; from += 1000) {
    const some = names.slice(from, from + 1000)
    const ofFailed = database.selectFrom('failed_requests').select('input').where('input', 'in', some)
    const rows = await database
      .selectFrom('jobs')
      .select('input')
      .where('input', 'in', some)
      .unionAll(ofFailed)
      .execute()
    for (const { input } of rows) if (input !== null) used.add(input)
  }
  return used
}

/** Finds the objects that are the result of a task. */
export async function resultsInUse(database: Kysely<Tables>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const file = sql<string | null>`json_extract(result, '$.file')`.as('file')
  const rows = await database.selectFrom('tasks').select(file).where('result', 'is not', null).execute()
  const named = new Set(rows.map((row) => row.file))
  return new Set(names.filter((name) => named.has(name)))
}

/** Removes tasks that ended long ago, with their dependent rows. */
export async function forgetTasks(database: Kysely<Tables>, expiry: Expiry): Promise<Expired> {
  const { before, limit, from = 0 } = expiry
  const old = database
    .selectFrom('tasks')
    .select('id')
    .where('status', 'in', ['SUCCESS', 'FAILED'])
    .where('updated_at', '>=', from)
    .where('updated_at', '<', Math.floor(before / 1000))
    .orderBy('updated_at')
    .limit(limit)
  const rows = await database.deleteFrom('tasks').where('id', 'in', old).returning('updated_at').execute()
  return {
    count: rows.length,
    objects: [],
    next: nextOf(
      expiry,
      rows.map((row) => row.updated_at),
    ),
  }
}
