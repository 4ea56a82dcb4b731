import { randomBytes } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { TaskTrace } from '../../domain/task-trace.ts'
import { dayOf, usageKindOf, type Work } from '../../domain/usage.ts'
import type { Claim, NewTask, StoredTask, TaskKind, TaskQuery, TaskStatus } from '../../ports/task-store.ts'
import { readObject } from './json-column.ts'
import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'
import type { Tables } from './tables.ts'
import { createUsageInsert } from './usage-insert.ts'

const Failure = z.object({ code: z.string(), message: z.string() })

/** Reads a task from its row. Without copies of parts: each poll of a client needs it. */
export function taskFromRow(row: Selectable<Tables['tasks']>): StoredTask {
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
  database: Pick<Kysely<Pick<Tables, 'tasks'>>, 'selectFrom'>,
  tenant: string,
  { limit, status }: TaskQuery,
): Promise<StoredTask[]> {
  const all = database.selectFrom('tasks').selectAll().where('tenant', '=', tenant)
  const some = status === undefined ? all : all.where('status', '=', status)
  return (await some.orderBy('sequence', 'desc').limit(limit).execute()).map(taskFromRow)
}

/** Reads a claim from the rows of task and job. */
export function claimFromRows(task: Selectable<Tables['tasks']>, job: Selectable<Tables['jobs']>): Claim {
  return {
    taskId: task.id,
    token: job.token,
    task: taskFromRow(task),
    request: job.request === null ? undefined : readObject(job.request),
    input: job.input ?? undefined,
    attempt: job.attempts,
    crashes: job.crashes,
    interruptions: job.interruptions,
  }
}

/** The columns of a new job. `now` is its time, in milliseconds. */
export interface JobColumns extends Readonly<Record<string, SQLInputValue>> {
  readonly task_id: string
  readonly tenant: string
  readonly kind: TaskKind | ''
  readonly request: string | null
  readonly input: string | null
  readonly cost: number
  readonly now: number
}

/** State, time and webhook of a new task. */
export interface NewTaskState {
  readonly status: 'PENDING' | 'PROCESSING'
  readonly webhookUrl?: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Prepares the insertion of tasks. Call the result within a transaction. */
export function createTaskInsert(database: ServiceDatabase): (task: NewTask, state: NewTaskState) => StoredTask {
  interface Columns extends Readonly<Record<string, SQLInputValue>> {
    readonly id: string
    readonly tenant: string
    readonly kind: TaskKind
    readonly status: TaskStatus
    readonly model: string
    readonly seconds: number
    readonly webhook_url: string | null
    readonly trace: string | null
  }
  const insert = database.written((given: Given<Columns>) =>
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
  return ({ id, tenant, kind, model, trace }, { status, webhookUrl, now }) => {
    const seconds = Math.floor(now / 1000)
    const task = { id, tenant, kind, model, status }
    const stored = trace === undefined ? null : JSON.stringify(trace)
    insert({ ...task, seconds, webhook_url: webhookUrl ?? null, trace: stored })
    return {
      ...task,
      createdAt: seconds,
      updatedAt: seconds,
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(trace === undefined ? {} : { trace }),
    }
  }
}

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
