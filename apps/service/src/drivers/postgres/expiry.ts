import { sql } from 'kysely'
import type { TaskError } from '../../ports/task-store.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'
import { newWebhooks, usageOf } from './end-task.ts'

/** Fails the tasks that waited longer than their input is stored. */
export async function expireInputs(
  database: PostgresDatabase,
  { before, error }: { readonly before: number; readonly error: TaskError },
  now?: Now,
): Promise<string[]> {
  const { rows } = await sql<{ input: string }>`
    WITH moment AS MATERIALIZED (SELECT ${timeOf(now)} AS ms), job AS (
      DELETE FROM svc_audio.jobs USING moment
      WHERE input IS NOT NULL AND created_ms < ${before} AND (lease_ms IS NULL OR lease_ms <= moment.ms)
      RETURNING task_id, input
    ), task AS (
      UPDATE svc_audio.tasks SET status = 'FAILED', error = ${JSON.stringify(error)}, cost = 0,
        updated_at = moment.ms / 1000
      FROM job, moment WHERE id = job.task_id RETURNING id, tenant, kind, webhook_url
    ), webhook AS (${newWebhooks}), used AS (${usageOf('FAILED')})
    SELECT input FROM job`.execute(database)
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
    WHERE result IS NOT NULL AND result::json ->> 'file' = ANY (${[...names]}::text[])`.execute(database)
  return namesOf(rows)
}

function namesOf(rows: readonly { readonly name: string | null }[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ name }) => (name === null ? [] : [name])))
}

/** Removes tasks that ended long ago, with their dependent rows. */
export async function forgetTasks(database: PostgresDatabase, before: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM svc_audio.tasks WHERE ended_at < ${Math.floor(before / 1000)}`.execute(database)
  return Number(numAffectedRows)
}
