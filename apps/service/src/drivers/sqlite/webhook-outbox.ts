import { wallClockNow } from '../../domain/clock.ts'
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts'
import { claimWebhook } from './claim-webhook.ts'
import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'

/** No attempt waits longer, in milliseconds. */
const LONGEST_DELAY_MS = 4 * 3600 * 1000

/**
 * The outbox in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createWebhookOutbox(database: ServiceDatabase, now: () => number = wallClockNow): WebhookOutbox {
  const ofTask = database.read((given: Given<{ readonly task: string }>) =>
    database.selectFrom('webhooks').selectAll().where('task_id', '=', given('task')),
  )
  return {
    claim: (milliseconds, max = Number.MAX_SAFE_INTEGER) => claimWebhook(database, { now: now(), milliseconds, max }),
    async record({ id, token }, { outcome, next }) {
      const values =
        typeof next === 'number'
          ? { status: 'pending' as const, due_ms: now() + next }
          : { status: next, due_ms: now() }
      const { numUpdatedRows } = await database
        .updateTable('webhooks')
        .set((column) => ({ ...values, outcome, lease_ms: null, token: column('token', '+', 1) }))
        .where('id', '=', id)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async release({ id, token }) {
      const { numUpdatedRows } = await database
        .updateTable('webhooks')
        .set((column) => ({
          lease_ms: null,
          token: column('token', '+', 1),
          attempts: column('attempts', '-', 1),
        }))
        .where('id', '=', id)
        .where('token', '=', token)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async stateOf(taskId) {
      const [row] = ofTask({ task: taskId })
      if (row === undefined) return undefined
      const { status, attempts, outcome, due_ms: due } = row
      const nextAttemptAt = status === 'pending' ? due : undefined
      return { status, attempts, lastOutcome: outcome ?? undefined, nextAttemptAt }
    },
    async dropLeases() {
      // A clock that was set back since the last start would delay them.
      const latest = now() + LONGEST_DELAY_MS
      const late = database.updateTable('webhooks').set({ due_ms: latest })
      await late.where('status', '=', 'pending').where('due_ms', '>', latest).execute()
      const { numUpdatedRows } = await database
        .updateTable('webhooks')
        .set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
        .where('lease_ms', 'is not', null)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}
