import { type RawBuilder, sql, type Transaction } from 'kysely'
import { NO_USAGE, type Work } from '../../domain/usage.ts'
import { type Expired, type Expiry, nextAfter } from '../../ports/expiry.ts'
import type { Cancellation, Lease, TaskError } from '../../ports/task-store.ts'
import { type Now, type PostgresDatabase, type PostgresTables, timeOf } from './database.ts'

/** The end of a task, as columns. */
export interface TaskEnd {
  readonly status: 'SUCCESS' | 'FAILED'
  readonly result: string | null
  readonly error: string | null
  /** What the task counts as. @default only the task itself */
  readonly work?: Work | undefined
  /** Whether the request of the task is stored, see `TaskStore.retry`. @default false */
  readonly storeRequest?: boolean
}

/**
 * Ends a task in one statement: the job is removed only under its current token, and everything else follows from that
 * row. A task has one end, however many workers hold an older lease.
 */
export async function endTask(
  database: PostgresDatabase,
  { taskId, token }: Lease,
  { status, result, error, work, storeRequest = false }: TaskEnd,
  now?: Now,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    WITH job AS (
      DELETE FROM svc_audio.jobs WHERE task_id = ${taskId} AND token = ${token} RETURNING task_id, cost, request, input
    ), moment AS MATERIALIZED (SELECT ${timeOf(now)} AS ms), task AS (
      UPDATE svc_audio.tasks SET status = ${status}, result = ${result},
        error = ${error}, cost = job.cost, updated_at = moment.ms / 1000
      FROM job, moment WHERE id = job.task_id RETURNING id, tenant, kind, webhook_url
    ), webhook AS (${newWebhooks}), used AS (${usageOf(status, work)})${storeRequest ? KEEP_REQUEST : sql``}
    SELECT id FROM task`.execute(database)
  return rows.length > 0
}

/** A part of a statement that has `job`, `task` and `moment`. A stream has no request. */
const KEEP_REQUEST = sql`, stored AS (
      INSERT INTO svc_audio.failed_requests (task_id, tenant, request, input, failed_ms)
      SELECT job.task_id, task.tenant, job.request, job.input, moment.ms
      FROM job JOIN task ON task.id = job.task_id, moment WHERE job.request IS NOT NULL
    )`

/**
 * Cancels a task in one statement, as {@link endTask} ends one: the job is removed under any token.
 * @returns `undefined` for an unknown id and for another tenant's
 */
export async function cancelTask(
  database: PostgresDatabase,
  { tenant, id, error }: { readonly tenant: string; readonly id: string; readonly error: string },
  now?: Now,
): Promise<Cancellation | undefined> {
  const { rows } = await sql<{ input: string | null }>`
    WITH job AS (
      DELETE FROM svc_audio.jobs WHERE task_id = ${id} AND tenant = ${tenant} RETURNING task_id, input
    ), moment AS MATERIALIZED (SELECT ${timeOf(now)} AS ms), task AS (
      UPDATE svc_audio.tasks SET status = 'FAILED', result = NULL, error = ${error}, cost = 0, updated_at = moment.ms / 1000
      FROM job, moment WHERE id = job.task_id RETURNING id, tenant, kind, webhook_url
    ), webhook AS (${newWebhooks}), used AS (${usageOf('FAILED')})
    SELECT job.input FROM task JOIN job ON job.task_id = task.id`.execute(database)
  const [row] = rows
  if (row !== undefined) return { cancelled: true, input: row.input ?? undefined }
  const ended = database.selectFrom('tasks').select('id').where('id', '=', id).where('tenant', '=', tenant)
  return (await ended.executeTakeFirst()) === undefined ? undefined : { cancelled: false, input: undefined }
}

/** Enters the webhooks of ended tasks into the outbox: a part of a statement that has `task` and `moment`. */
export const newWebhooks = sql`
  INSERT INTO svc_audio.webhooks (id, task_id, tenant, url, status, attempts, token, due_ms, created_ms)
  SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), id, tenant, webhook_url, 'pending', 0, 0, moment.ms, moment.ms
  FROM task, moment WHERE webhook_url IS NOT NULL`

/** The number of parts of a sum of usage. A connection adds to one part: others seldom wait for its commit. */
export const USAGE_SLOTS = 4

/** Counts the usage of ended tasks: a part of a statement that has `task` and `moment`. */
export function usageOf(status: TaskEnd['status'], work: Work = NO_USAGE): RawBuilder<unknown> {
  const { characters, speechMs, recordingMs } = work
  const [succeeded, failed] = status === 'SUCCESS' ? [1, 0] : [0, 1]
  return sql`
  INSERT INTO svc_audio.usage AS sums
    (day, tenant, kind, slot, succeeded, failed, characters, speech_ms, recording_ms)
  SELECT svc_audio.day_of(moment.ms), tenant, substr(kind, 7), pg_backend_pid() % ${sql.lit(USAGE_SLOTS)},
    count(*) * ${sql.lit(succeeded)}, count(*) * ${sql.lit(failed)},
    ${characters}::bigint, ${speechMs}::bigint, ${recordingMs}::bigint
  FROM task, moment GROUP BY moment.ms, tenant, kind ORDER BY tenant, kind
  ON CONFLICT (day, tenant, kind, slot) DO UPDATE SET
    succeeded = sums.succeeded + excluded.succeeded, failed = sums.failed + excluded.failed,
    characters = sums.characters + excluded.characters, speech_ms = sums.speech_ms + excluded.speech_ms,
    recording_ms = sums.recording_ms + excluded.recording_ms`
}

/**
 * Fails the tasks that waited longer than their input is stored. Jobs are in the order of their acceptance: a batch reads
 * some of the oldest ones, and the next batch those behind them.
 */
export async function expireInputs(
  database: PostgresDatabase,
  { expiry, error }: { readonly expiry: Expiry; readonly error: TaskError },
  now?: Now,
): Promise<Expired> {
  const { before, limit, from = -1 } = expiry
  const { rows: pages } = await sql<{ found: number; last: number | null; created: number | null }>`
    SELECT count(*) AS found, max(sequence) AS last, max(created_ms) AS created FROM (
      SELECT sequence, created_ms FROM svc_audio.jobs WHERE sequence > ${from} ORDER BY sequence LIMIT ${limit}
    ) AS page`.execute(database)
  const { found = 0, last = null, created = null } = pages[0] ?? {}
  if (last === null || created === null) return { count: 0, objects: [] }
  const objects = await database.transaction().execute(async (transaction) => {
    await beAlone(transaction, ['many tenants', 'tend_queue'])
    return failJobs(transaction, { after: from, last, before, error }, now)
  })
  const isLast = found < limit || created >= before
  return { count: objects.length, objects, next: isLast ? undefined : last }
}

/**
 * Takes locks that only transactions of many tenants take. Two of them could otherwise wait for each other: each changes
 * rows that belong to whole tenants, in its own order.
 */
async function beAlone(
  transaction: Transaction<PostgresTables>,
  names: readonly ('many tenants' | 'tend_queue')[],
): Promise<void> {
  for (const name of names) {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`svc_audio ${name}`}, 0))`.execute(transaction)
  }
}

/** Jobs behind one and up to another in their order. */
interface JobRange {
  readonly after: number
  readonly last: number
  readonly before: number
  readonly error: TaskError
}

/** Fails the waiting jobs of a range that are too old. @returns Their inputs */
async function failJobs(
  transaction: Transaction<PostgresTables>,
  { after, last, before, error }: JobRange,
  now?: Now,
): Promise<string[]> {
  const { rows } = await sql<{ input: string }>`
    WITH moment AS MATERIALIZED (SELECT ${timeOf(now)} AS ms), job AS (
      DELETE FROM svc_audio.jobs USING moment
      WHERE sequence > ${after} AND sequence <= ${last} AND input IS NOT NULL AND created_ms < ${before}
        AND (lease_ms IS NULL OR lease_ms <= moment.ms)
      RETURNING task_id, input
    ), task AS (
      UPDATE svc_audio.tasks SET status = 'FAILED', error = ${JSON.stringify(error)}, cost = 0,
        updated_at = moment.ms / 1000
      FROM job, moment WHERE id = job.task_id RETURNING id, tenant, kind, webhook_url
    ), webhook AS (${newWebhooks}), used AS (${usageOf('FAILED')})
    SELECT input FROM job`.execute(transaction)
  return rows.map(({ input }) => input)
}

/** Finds the objects that a job or a stored request still needs. */
export async function inputsInUse(database: PostgresDatabase, names: readonly string[]): Promise<ReadonlySet<string>> {
  const named = sql<string>`any(${[...names]}::text[])`
  const ofFailed = database.selectFrom('failed_requests').select('input as name').where('input', '=', named)
  const query = database.selectFrom('jobs').select('input as name').where('input', '=', named)
  const rows = await query.unionAll(ofFailed).execute()
  return namesOf(rows)
}

/** Finds the objects that are the result of a task. */
export async function resultsInUse(database: PostgresDatabase, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string | null }>`
    SELECT result::json ->> 'file' AS name FROM svc_audio.tasks
    WHERE result IS NOT NULL AND result::json ->> 'file' = ANY (${[...names]}::text[] COLLATE "C")`.execute(database)
  return namesOf(rows)
}

function namesOf(rows: readonly { readonly name: string | null }[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ name }) => (name === null ? [] : [name])))
}

/**
 * Removes tasks that ended long ago, with their dependent rows. It first takes the rows of their webhooks that nobody
 * has: a worker that has one may wait for the lanes of its tenant, which the removal of another call takes.
 */
export async function forgetTasks(database: PostgresDatabase, expiry: Expiry): Promise<Expired> {
  const { before, limit, from = 0 } = expiry
  const rows = await database.transaction().execute(async (transaction) => {
    await beAlone(transaction, ['many tenants'])
    const removed = await sql<{ count: number; found: number; last: number | null }>`
      WITH old AS MATERIALIZED (
        SELECT id, ended_at FROM svc_audio.tasks
        WHERE ended_at >= ${from} AND ended_at < ${Math.floor(before / 1000)} ORDER BY ended_at LIMIT ${limit}
      ), free AS MATERIALIZED (
        SELECT w.task_id FROM svc_audio.webhooks AS w WHERE w.task_id IN (SELECT id FROM old) FOR UPDATE SKIP LOCKED
      ), removed AS (
        DELETE FROM svc_audio.tasks AS t WHERE t.id IN (
          SELECT id FROM old WHERE id IN (SELECT task_id FROM free)
            OR NOT EXISTS (SELECT FROM svc_audio.webhooks AS w WHERE w.task_id = old.id))
        RETURNING t.id
      ) SELECT (SELECT count(*) FROM removed) AS count, count(*) AS found, max(ended_at) AS last FROM old`.execute(
      transaction,
    )
    return removed.rows
  })
  const { count = 0, found = 0, last = null } = rows[0] ?? {}
  return { count, objects: [], next: nextAfter(expiry, { found, last, count }) }
}

/** Returns the part of the sums of usage that this process adds to. */
export function usageSlot(): number {
  return process.pid % USAGE_SLOTS
}
