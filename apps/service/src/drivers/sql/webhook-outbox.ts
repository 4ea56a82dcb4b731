import { sql } from 'kysely'
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts'
import type { Given, SharedDatabase } from './shared-database.ts'

/**
 * An outbox over the tables of any database.
 * @param claim Claims the next call. Each database has its own way.
 */
export function outboxOver({ tables, now, read }: SharedDatabase, claim: WebhookOutbox['claim']): WebhookOutbox {
  const ofTask = read((given: Given<{ readonly task: string }>) =>
    tables.selectFrom('webhooks').selectAll().where('task_id', '=', given('task')),
  )
  return {
    claim,
    async record({ id, token }, { outcome, next, timedOut = false }) {
      const [status, delay] = typeof next === 'number' ? (['pending', next] as const) : ([next, 0] as const)
      const due = sql<number>`${now()} + ${delay}`
      const { numUpdatedRows } = await tables
        .updateTable('webhooks')
        .set((column) => ({
          status,
          outcome,
          due_ms: due,
          lease_ms: null,
          token: column('token', '+', 1),
          timed_out: timedOut ? 1 : 0,
        }))
        .where('id', '=', id)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async release({ id, token }) {
      const { numUpdatedRows } = await tables
        .updateTable('webhooks')
        .set((column) => ({ lease_ms: null, token: column('token', '+', 1), attempts: column('attempts', '-', 1) }))
        .where('id', '=', id)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async stateOf(taskId) {
      const [row] = await ofTask({ task: taskId })
      if (row === undefined) return undefined
      const { status, attempts, outcome, due_ms: due } = row
      const nextAttemptAt = status === 'pending' ? due : undefined
      return { status, attempts, lastOutcome: outcome ?? undefined, nextAttemptAt }
    },
    async dropLeases() {
      const { numUpdatedRows } = await tables
        .updateTable('webhooks')
        .set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
        .where('lease_ms', 'is not', null)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}
