import { type Kysely, sql } from 'kysely'
import type { Claim, TaskKind } from '../../ports/task-store.ts'
import { claimFromRows } from './task-rows.ts'
import type { Tables } from './tables.ts'
import { advanceFairShare } from './fair-share.ts'

/** Options of {@link claimTask}. */
interface ClaimTerms {
  readonly now: number
  readonly milliseconds: number
  /** A tenant with that many leases offers nothing. */
  readonly most: number
  /** Tasks of these kinds are not offered. */
  readonly except: readonly TaskKind[]
}

/**
 * Claims the next job by one conditional update. Each tenant offers its oldest due job. Of these the tenant with the
 * fewest leases of these kinds wins, then the tenant whose turn is longest ago.
 */
export function claimTask(
  database: Kysely<Tables>,
  { now, milliseconds, most, except }: ClaimTerms,
): Promise<Claim | undefined> {
  const offered = except.length === 0 ? sql`` : sql`AND kind NOT IN (${sql.join(except)})`
  const next = sql<number>`(
    SELECT offer.first FROM (
      SELECT tenant,
        count(*) FILTER (WHERE lease_ms > ${now} AND kind <> '' ${offered}) AS running,
        min(sequence) FILTER (WHERE due_ms <= ${now} AND (lease_ms IS NULL OR lease_ms <= ${now}) ${offered}) AS first
      FROM jobs GROUP BY tenant
    ) AS offer
    LEFT JOIN turns ON turns.tenant = offer.tenant
    WHERE offer.first IS NOT NULL AND offer.running < ${most}
    ORDER BY offer.running, coalesce(turns.turn, 0), offer.first
    LIMIT 1
  )`
  return database.transaction().execute(async (transaction) => {
    const job = await transaction
      .updateTable('jobs')
      .set((column) => ({
        token: column('token', '+', 1),
        attempts: column('attempts', '+', 1),
        lease_ms: now + milliseconds,
      }))
      .where('sequence', '=', next)
      .returningAll()
      .executeTakeFirst()
    if (job === undefined) return undefined
    await advanceFairShare(transaction, 'turns', job.tenant)
    await transaction
      .updateTable('tasks')
      .set({ status: 'PROCESSING', updated_at: Math.floor(now / 1000) })
      .where('id', '=', job.task_id)
      .where('status', '=', 'PENDING')
      .execute()
    const task = await transaction
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', job.task_id)
      .executeTakeFirstOrThrow()
    return claimFromRows(task, job)
  })
}
