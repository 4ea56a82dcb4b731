import { randomBytes } from 'node:crypto'
import type { Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import type { TaskTrace } from '../../domain/task-trace.ts'
import { dayOf, usageKindOf, type Work } from '../../domain/usage.ts'
import type { Claim, NewTask, StoredTask } from '../../ports/task-store.ts'
import { readObject } from './json-column.ts'
import type { Tables } from './tables.ts'
import { addUsage } from './usage-store.ts'

const Failure = z.object({ code: z.string(), message: z.string() })

/** Reads a task from its row. */
export function taskFromRow(row: Selectable<Tables['tasks']>): StoredTask {
  const { id, tenant, kind, status, model, result, error, webhook_url: webhookUrl, trace } = row
  return {
    id,
    tenant,
    kind,
    status,
    model,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(result === null ? {} : { result: readObject(result) }),
    ...(error === null ? {} : { error: Failure.parse(JSON.parse(error)) }),
    ...(webhookUrl === null ? {} : { webhookUrl }),
    ...(trace === null ? {} : { trace: readTrace(trace) }),
  }
}

/** Checks by hand: each read of a task needs it, and a schema takes longer than the rest of the row. */
function readTrace(column: string): TaskTrace {
  const { requestId, traceparent, tracestate } = readObject(column)
  if (typeof requestId !== 'string') throw new TypeError('The trace of a task must have the id of its request')
  return {
    requestId,
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(typeof tracestate === 'string' ? { tracestate } : {}),
  }
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
  }
}

/** Adds a task. */
export async function insertTask(
  database: Transaction<Tables>,
  { id, tenant, kind, model, trace }: NewTask,
  values: { readonly status: 'PENDING' | 'PROCESSING'; readonly webhookUrl?: string; readonly now: number },
): Promise<StoredTask> {
  const seconds = Math.floor(values.now / 1000)
  const { status, webhookUrl } = values
  const task = { id, tenant, kind, model, status }
  const stored = trace === undefined ? null : JSON.stringify(trace)
  const rest = { result: null, error: null, webhook_url: webhookUrl ?? null, trace: stored }
  await database
    .insertInto('tasks')
    .values({ ...task, created_at: seconds, updated_at: seconds, ...rest })
    .execute()
  return {
    ...task,
    createdAt: seconds,
    updatedAt: seconds,
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(trace === undefined ? {} : { trace }),
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
export async function endTask(
  database: Transaction<Tables>,
  id: string,
  { work, ...end }: TaskEnd,
  now: number,
): Promise<void> {
  const {
    webhook_url: url,
    tenant,
    kind,
  } = await database
    .updateTable('tasks')
    .set({ ...end, updated_at: Math.floor(now / 1000) })
    .where('id', '=', id)
    .returning(['webhook_url', 'tenant', 'kind'])
    .executeTakeFirstOrThrow()
  const ended = end.status === 'SUCCESS' ? { succeeded: 1 } : { failed: 1 }
  await addUsage(database.$pickTables<'usage' | 'usage_batches'>(), [
    { tenant, day: dayOf(now), kind: usageKindOf(kind), ...ended, ...work },
  ])
  if (url === null) return
  await database
    .insertInto('webhooks')
    .values({
      id: `msg_${randomBytes(16).toString('hex')}`,
      task_id: id,
      tenant,
      url,
      status: 'pending',
      attempts: 0,
      token: 0,
      due_ms: now,
      lease_ms: null,
      outcome: null,
      created_ms: now,
    })
    .execute()
}
