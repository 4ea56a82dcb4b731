import { sql } from 'kysely'
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts'
import { taskFromRow, type TaskRow } from '../sql/task-rows.ts'
import { outboxOver } from '../sql/webhook-outbox.ts'
import { momentOf, type Now, type PostgresDatabase, sharePostgres } from './database.ts'

/** What the function that claims returns: columns of the call and of its task. */
interface ClaimRow extends TaskRow {
  readonly webhook: string
  readonly url: string
  readonly attempt: number
  readonly token: number
  readonly ended_ms: number
}

/** The outbox in PostgreSQL. */
export function createWebhookOutbox(database: PostgresDatabase, now?: Now): WebhookOutbox {
  return outboxOver(sharePostgres(database, now), async (milliseconds, max = Number.MAX_SAFE_INTEGER) => {
    const { rows } = await sql<ClaimRow>`
      SELECT * FROM svc_audio.claim_webhook(${momentOf(now)}, ${milliseconds}, ${max})`.execute(database)
    const [row] = rows
    if (row === undefined) return undefined
    const { webhook: id, url, attempt, token, ended_ms: createdAt, ...task } = row
    return { id, url, attempt, token, createdAt, task: taskFromRow(task) }
  })
}
