import { type Kysely, sql, type Transaction } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import type { WebhookClaim, WebhookOutbox } from '../../ports/webhook-outbox.ts'
import { taskFromRow } from '../sql/task-rows.ts'
import { outboxOver } from '../sql/webhook-outbox.ts'
import { type ServiceDatabase, shareSqlite, type Tables } from './service-database.ts'

/** No attempt waits longer, in milliseconds. */
const LONGEST_DELAY_MS = 4 * 3600 * 1000

/**
 * The outbox in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createWebhookOutbox(database: ServiceDatabase, now: () => number = wallClockNow): WebhookOutbox {
  const outbox = outboxOver(shareSqlite(database, now), (milliseconds, max = Number.MAX_SAFE_INTEGER) =>
    claimWebhook(database, { now: now(), milliseconds, max }),
  )
  return {
    ...outbox,
    async dropLeases() {
      // A clock that was set back since the last start would delay them.
      const latest = now() + LONGEST_DELAY_MS
      const late = database.updateTable('webhooks').set({ due_ms: latest })
      await late.where('status', '=', 'pending').where('due_ms', '>', latest).execute()
      return outbox.dropLeases()
    },
  }
}

/** Records a tenant's turn of its webhooks, within the transaction of that turn. */
async function advanceWebhookTurn(transaction: Transaction<Tables>, tenant: string): Promise<void> {
  await sql`
    INSERT INTO webhook_turns (tenant, turn) SELECT ${tenant}, coalesce(max(turn), 0) + 1 FROM webhook_turns WHERE true
    ON CONFLICT (tenant) DO UPDATE SET turn = excluded.turn`.execute(transaction)
}

/**
 * Claims the next call by one conditional update. Each tenant offers the call that is due longest. Of these the tenant
 * with the fewest calls in flight wins, then the tenant whose turn is longest ago. Every step is an index search for
 * each tenant, because a receiver that is down for a day leaves a long queue.
 * @param options.most A tenant with that many calls in flight offers nothing.
 */
function claimWebhook(
  database: Kysely<Tables>,
  { now, milliseconds, max }: { readonly now: number; readonly milliseconds: number; readonly max: number },
): Promise<WebhookClaim | undefined> {
  const next = sql<string>`(
    WITH RECURSIVE waiting (tenant) AS (
      SELECT min(tenant) FROM webhooks WHERE status = 'pending'
      UNION ALL
      SELECT (SELECT min(tenant) FROM webhooks WHERE status = 'pending' AND tenant > waiting.tenant)
      FROM waiting WHERE waiting.tenant IS NOT NULL
    ), offers AS (
      SELECT waiting.tenant,
        (SELECT count(*) FROM webhooks WHERE tenant = waiting.tenant AND lease_ms > ${now}) AS running,
        (
          SELECT id FROM webhooks
          WHERE status = 'pending' AND tenant = waiting.tenant
            AND due_ms <= ${now} AND (lease_ms IS NULL OR lease_ms <= ${now})
          ORDER BY due_ms, id LIMIT 1
        ) AS first
      FROM waiting WHERE waiting.tenant IS NOT NULL
    )
    SELECT offers.first FROM offers LEFT JOIN webhook_turns ON webhook_turns.tenant = offers.tenant
    WHERE offers.first IS NOT NULL AND offers.running < ${max}
    ORDER BY offers.running, coalesce(webhook_turns.turn, 0)
    LIMIT 1
  )`
  return database.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('webhooks')
      .set((column) => ({
        token: column('token', '+', 1),
        attempts: column('attempts', '+', 1),
        lease_ms: now + milliseconds,
      }))
      .where('id', '=', next)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) return undefined
    await advanceWebhookTurn(transaction, row.tenant)
    const task = await transaction
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', row.task_id)
      .executeTakeFirstOrThrow()
    const { id, url, attempts, token, created_ms: createdAt } = row
    return { id, url, attempt: attempts, token, createdAt, task: taskFromRow(task) }
  })
}
