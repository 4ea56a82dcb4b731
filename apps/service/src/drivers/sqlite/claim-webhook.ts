import { type Kysely, sql } from 'kysely'
import type { WebhookClaim } from '../../ports/webhook-outbox.ts'
import type { Tables } from './tables.ts'
import { taskFromRow } from './task-rows.ts'
import { advanceWebhookTurn } from './fair-share.ts'

/**
 * Claims the next call by one conditional update. Each tenant offers the call that is due longest. Of these the tenant
 * with the fewest calls in flight wins, then the tenant whose turn is longest ago. Every step is an index search for
 * each tenant, because a receiver that is down for a day leaves a long queue.
 * @param options.most A tenant with that many calls in flight offers nothing.
 */
export function claimWebhook(
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
