import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import { unixSeconds } from '../../domain/ids.ts'
import type { StoredTask, TaskStore } from '../../ports/task-store.ts'
import type { Tables } from './database.ts'

const Row = z.object({
  id: z.string(),
  tenant: z.string(),
  kind: z.enum(['audio.speech', 'audio.transcription']),
  status: z.enum(['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED']),
  model: z.string(),
})
const Result = z.record(z.string(), z.unknown())
const Failure = z.object({ code: z.string(), message: z.string() })
const UNFINISHED = ['PENDING', 'PROCESSING'] as const

/** Tasks in SQLite. */
export function createTaskStore(database: Kysely<Tables>): TaskStore {
  const end = (values: { status: string; result?: string; error?: string }, id?: string): Promise<number> => {
    let update = database
      .updateTable('tasks')
      .set({ ...values, updated_at: unixSeconds() })
      .where('status', 'in', UNFINISHED)
    if (id !== undefined) update = update.where('id', '=', id)
    return update.executeTakeFirst().then(({ numUpdatedRows }) => Number(numUpdatedRows))
  }
  return {
    async create(task) {
      const now = unixSeconds()
      const row = { ...task, created_at: now, updated_at: now, result: null, error: null }
      await database.insertInto('tasks').values(row).execute()
      return { ...task, createdAt: now, updatedAt: now }
    },
    async find(tenant, id) {
      const query = database.selectFrom('tasks').selectAll().where('id', '=', id).where('tenant', '=', tenant)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : fromRow(row)
    },
    async succeed(id, result) {
      await end({ status: 'SUCCESS', result: JSON.stringify(result) }, id)
    },
    async fail(id, error) {
      await end({ status: 'FAILED', error: JSON.stringify(error) }, id)
    },
    failUnfinished: (error) => end({ status: 'FAILED', error: JSON.stringify(error) }),
  }
}

function fromRow(row: Selectable<Tables['tasks']>): StoredTask {
  return {
    ...Row.parse(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.result === null ? {} : { result: Result.parse(JSON.parse(row.result)) }),
    ...(row.error === null ? {} : { error: Failure.parse(JSON.parse(row.error)) }),
  }
}
