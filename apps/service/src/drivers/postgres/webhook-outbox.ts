import { sql } from 'kysely'
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts'
import { taskFromRow } from '../sqlite/task-rows.ts'
import { momentOf, type Now, type PostgresDatabase, timeOf } from './database.ts'
import type { PostgresTables } from './tables.ts'

/** What the function that claims returns: columns of the call and of its task. */
interface ClaimRow extends Omit<PostgresTables['tasks'], 'sequence'> {
  readonly webhook: string
  readonly url: string
  readonly attempt: number
  readonly token: number
  readonly ended_ms: number
}

/** The outbox in PostgreSQL. */
export function createWebhookOutbox(database: PostgresDatabase, now?: Now): WebhookOutbox {
  return {
    async claim(milliseconds, max = Number.MAX_SAFE_INTEGER) {
      const { rows } = await sql<ClaimRow>`
        SELECT * FROM svc_audio.claim_webhook(${momentOf(now)}, ${milliseconds}, ${max})`.execute(database)
      const [row] = rows
      if (row === undefined) return undefined
      const { webhook: id, url, attempt, token, ended_ms: createdAt, ...task } = row
      return { id, url, attempt, token, createdAt, task: taskFromRow({ ...task, sequence: 0 }) }
    },
    async record({ id, token }, { outcome, next }) {
      const status = typeof next === 'number' ? 'pending' : next
      const delay = typeof next === 'number' ? next : 0
      const { numUpdatedRows } = await database
        .updateTable('webhooks')
        .set((column) => ({
          status,
          outcome,
          due_ms: sql<number>`${timeOf(now)} + ${delay}`,
          lease_ms: null,
          token: column('token', '+', 1),
        }))
        .where('id', '=', id)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async release({ id, token }) {
      const { numUpdatedRows } = await database
        .updateTable('webhooks')
        .set((column) => ({ lease_ms: null, token: column('token', '+', 1), attempts: column('attempts', '-', 1) }))
        .where('id', '=', id)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async stateOf(taskId) {
      const query = database.selectFrom('webhooks').selectAll().where('task_id', '=', taskId)
      const row = await query.executeTakeFirst()
      if (row === undefined) return undefined
      const { status, attempts, outcome, due_ms: due } = row
      const nextAttemptAt = status === 'pending' ? due : undefined
      return { status, attempts, lastOutcome: outcome ?? undefined, nextAttemptAt }
    },
    async dropLeases() {
      const { numUpdatedRows } = await database
        .updateTable('webhooks')
        .set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
        .where('lease_ms', 'is not', null)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}
