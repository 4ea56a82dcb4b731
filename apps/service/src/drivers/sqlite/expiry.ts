import { type Kysely, sql } from 'kysely'
import type { TaskError } from '../../ports/task-store.ts'
import type { EndTask } from './task-rows.ts'
import type { Tables } from './tables.ts'

/** Fails the tasks that waited longer than their input is stored. */
export function expireInputs(
  database: Kysely<Tables>,
  endTask: EndTask,
  { before, error, now }: { readonly before: number; readonly error: TaskError; readonly now: number },
): Promise<string[]> {
  return database.transaction().execute(async (transaction) => {
    const jobs = await transaction
      .deleteFrom('jobs')
      .where('input', 'is not', null)
      .where('created_ms', '<', before)
      .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', now)]))
      .returning(['task_id', 'input'])
      .execute()
    for (const { task_id: id } of jobs) {
      endTask(id, { status: 'FAILED', error: JSON.stringify(error), cost: 0 }, now)
    }
    return jobs.flatMap(({ input }) => (input === null ? [] : [input]))
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
export async function forgetTasks(database: Kysely<Tables>, before: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('tasks')
    .where('status', 'in', ['SUCCESS', 'FAILED'])
    .where('updated_at', '<', Math.floor(before / 1000))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
