import { sql } from 'kysely'
import type { WebhookClaim, WebhookClaimOptions, WebhookOutbox } from '../../ports/webhook-outbox.ts'
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

/** A claim whose tenant was served by another in the meantime: all columns are null. */
type Overtaken = Readonly<Record<keyof ClaimRow, null>>

/** How often a claim is repeated that was overtaken. Its worker asks again within a second. */
const MAX_REPEATS = 20

/** Share of the claims that first return lapsed leases, and turns in the future. Idle claims always do. */
const TENDING = 0.01

/** Most tenants whose leases or turns an idle claim returns. */
const MAX_RETURNED = 20

/** The outbox in PostgreSQL. */
export function createWebhookOutbox(database: PostgresDatabase, now?: Now): WebhookOutbox {
  const returnLapsed = async (): Promise<boolean> => {
    const { rows } = await sql<{ found: boolean }>`
      SELECT svc_audio.return_webhooks(${momentOf(now)}) AS found`.execute(database)
    return rows[0]?.found === true
  }
  const claimReady = async (
    milliseconds: number,
    { slow = false, max = Number.MAX_SAFE_INTEGER }: WebhookClaimOptions,
  ): Promise<WebhookClaim | undefined> => {
    for (let repeats = 0; repeats <= MAX_REPEATS; repeats += 1) {
      const { rows } = await sql<ClaimRow | Overtaken>`
        SELECT * FROM svc_audio.claim_webhook(
          ${momentOf(now)}, ${milliseconds}, ${max}, ${slow ? 1 : 0}::smallint)`.execute(database)
      const [row] = rows
      if (row === undefined) return undefined
      if (row.webhook !== null) return viewClaim(row)
    }
    return undefined
  }
  return outboxOver(sharePostgres(database, now), async (milliseconds, options = {}) => {
    if (Math.random() < TENDING) await returnLapsed()
    let claim = await claimReady(milliseconds, options)
    for (let returned = 0; claim === undefined && returned < MAX_RETURNED; returned += 1) {
      if (!(await returnLapsed())) return undefined
      claim = await claimReady(milliseconds, options)
    }
    return claim
  })
}

function viewClaim({ webhook: id, url, attempt, token, ended_ms: createdAt, ...task }: ClaimRow): WebhookClaim {
  return { id, url, attempt, token, createdAt, task: taskFromRow(task) }
}
