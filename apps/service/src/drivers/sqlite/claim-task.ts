import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type Lane, laneOf, LANES, RECOGNITION_KIND } from '../../domain/lanes.ts'
import type { Claim, TaskKind } from '../../ports/task-store.ts'
import { claimFromRows } from './task-rows.ts'
import type { Tables } from './tables.ts'

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
 * Claims the next job by one conditional update. Each tenant offers its oldest due job of each lane. Of these the tenant
 * wins whose tasks have cost the least, in work and before; then the one with the fewest leases of these kinds; then the
 * one whose turn is longest ago.
 */
export function claimTask(database: Kysely<Tables>, terms: ClaimTerms): Promise<Claim | undefined> {
  const { now, milliseconds, except } = terms
  const lanes = LANES.filter((lane) => lane === 'speech' || !except.includes(RECOGNITION_KIND))
  const offers = sql.join(
    lanes.map((lane) => offersOf(lane, terms)),
    sql` UNION ALL `,
  )
  return database.transaction().execute(async (transaction) => {
    const job = await transaction
      .updateTable('jobs')
      .set((column) => ({
        token: column('token', '+', 1),
        attempts: column('attempts', '+', 1),
        lease_ms: now + milliseconds,
      }))
      .where('sequence', '=', sql<number>`(SELECT first FROM (${offers}) ORDER BY lag, running, turn, first LIMIT 1)`)
      .returningAll()
      .executeTakeFirst()
    if (job === undefined) return undefined
    await charge(transaction, job)
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

/** The first due job of each tenant in a lane. A stream that was cut has no kind. */
function offersOf(lane: Lane, { now, most, except }: ClaimTerms): RawBuilder<unknown> {
  const own = lane === 'recognition' ? sql`AND kind = ${RECOGNITION_KIND}` : sql`AND kind <> ${RECOGNITION_KIND}`
  const counted = except.length === 0 ? sql`` : sql`AND kind NOT IN (${sql.join(except)})`
  return sql`
    SELECT offer.first, offer.running, max(coalesce(shares.spent, 0) - lanes.reached, 0) AS lag,
      (SELECT coalesce(max(turn), 0) FROM shares WHERE shares.tenant = offer.tenant) AS turn
    FROM (
      SELECT tenant,
        count(*) FILTER (WHERE lease_ms > ${now} AND kind <> '' ${counted}) AS running,
        min(sequence) FILTER (WHERE due_ms <= ${now} AND (lease_ms IS NULL OR lease_ms <= ${now}) ${own} ${counted}) AS first
      FROM jobs GROUP BY tenant
    ) AS offer
    JOIN lanes ON lanes.lane = ${lane}
    LEFT JOIN shares ON shares.tenant = offer.tenant AND shares.lane = ${lane}
    WHERE offer.first IS NOT NULL AND offer.running < ${most}`
}

/** Adds the cost of a claimed job to its tenant's share, and records the tenant's turn. */
async function charge(
  transaction: Transaction<Tables>,
  { tenant, kind, cost }: { readonly tenant: string; readonly kind: TaskKind | ''; readonly cost: number },
): Promise<void> {
  const lane = laneOf(kind)
  await sql`
    INSERT INTO shares (tenant, lane, spent, turn)
    SELECT ${tenant}, ${lane}, reached, (SELECT coalesce(max(turn), 0) + 1 FROM shares) FROM lanes WHERE lane = ${lane}
    ON CONFLICT (tenant, lane) DO UPDATE SET spent = max(spent, excluded.spent), turn = excluded.turn`.execute(
    transaction,
  )
  await sql`
    UPDATE lanes SET reached = share.spent FROM (SELECT spent FROM shares WHERE tenant = ${tenant} AND lane = ${lane}) AS share
    WHERE lane = ${lane} AND reached <> share.spent`.execute(transaction)
  await sql`UPDATE shares SET spent = spent + ${cost} WHERE tenant = ${tenant} AND lane = ${lane}`.execute(transaction)
}

/** Returns to a tenant's share what a task would have cost that was claimed but not performed. */
export async function refund(
  transaction: Transaction<Tables>,
  { tenant, kind, cost }: { readonly tenant: string; readonly kind: TaskKind | ''; readonly cost: number },
): Promise<void> {
  if (kind === '') return
  await transaction
    .updateTable('shares')
    .set((column) => ({ spent: column('spent', '-', cost) }))
    .where('tenant', '=', tenant)
    .where('lane', '=', laneOf(kind))
    .execute()
}
