import type { SQLInputValue } from 'node:sqlite'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { RECOGNITION_KIND, type WorkClass, workClassOf } from '../../domain/task-kinds.ts'
import { type Claim, type DropLeasesOptions, SUSPECT_CRASHES, type TaskKind } from '../../ports/task-store.ts'
import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase, Tables } from './service-database.ts'
import { claimFromRows } from '../sql/task-rows.ts'

/** Options of {@link ClaimTask}. */
export interface ClaimTerms extends ClaimTimes {
  /** The first of these with a task is claimed from. */
  readonly workClasses: readonly WorkClass[]
  /** Whether to claim a suspect, and else never one. */
  readonly suspects: boolean
}

interface ClaimTimes {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Length of the lease. */
  readonly milliseconds: number
  /** A tenant with that many leases offers nothing. */
  readonly max: number
}

/** Values of the query that claims. */
interface ClaimValues extends Readonly<Record<string, SQLInputValue>> {
  readonly now: number
  readonly until: number
  readonly max: number
}

/** The work classes of a claim, and the values of its query. */
type ClaimQuery = Pick<ClaimTerms, 'workClasses'> & { readonly given: Given<ClaimValues> }

/**
 * Claims the next job by one conditional update. Each tenant offers its oldest due job of each work class. Of these the
 * tenant wins whose tasks have cost the least, in work and before; then the one whose turn is longest ago.
 */
export type ClaimTask = (terms: ClaimTerms) => Promise<Claim | undefined>

/** Prepares the claims of jobs. */
export function createClaimTask(database: ServiceDatabase): ClaimTask {
  const prepare = ({ workClasses, suspects }: Pick<ClaimTerms, 'workClasses' | 'suspects'>) =>
    database.written((given: Given<ClaimValues>) =>
      database
        .updateTable('jobs')
        .set((column) => ({
          token: column('token', '+', 1),
          attempts: column('attempts', '+', 1),
          lease_ms: given('until'),
        }))
        .where('sequence', '=', suspects ? nextSuspect({ workClasses, given }) : nextInTurn({ workClasses, given }))
        .returningAll(),
    )
  // Few: each order of the work classes, with and without suspects.
  const claims = new Map<string, ReturnType<typeof prepare>>()
  const claimOf = (terms: ClaimTerms): ReturnType<typeof prepare> => {
    const name = `${terms.workClasses.join()} ${terms.suspects}`
    const known = claims.get(name) ?? prepare(terms)
    claims.set(name, known)
    return known
  }
  const start = database.written((given: Given<{ readonly id: string; readonly seconds: number }>) =>
    database
      .updateTable('tasks')
      // A task that starts again keeps the time of its first start.
      .set({
        updated_at: sql<number>`iif(status = 'PENDING', ${given('seconds')}, updated_at)`,
        status: 'PROCESSING',
      })
      .where('id', '=', given('id'))
      .returningAll(),
  )
  const charge = createCharge(database)
  return (terms) =>
    database.atomically(() => {
      const { now, milliseconds, max } = terms
      const [job] = claimOf(terms)({ now, until: now + milliseconds, max })
      if (job === undefined) return undefined
      charge(job)
      const [task] = start({ id: job.task_id, seconds: Math.floor(now / 1000) })
      if (task === undefined) throw new Error(`The job ${job.task_id} has no task`)
      return claimFromRows(task, job)
    })
}

function nextInTurn(query: ClaimQuery): RawBuilder<number> {
  const offers = sql.join(
    query.workClasses.map((workClass, index) => offersOf(workClass, index, query)),
    sql` UNION ALL `,
  )
  return sql<number>`(SELECT first FROM (${offers}) ORDER BY place, lag, turn, first LIMIT 1)`
}

/** The least suspect first: it is probably innocent. The share of its tenant does not count, because it runs alone. */
function nextSuspect({ given, workClasses }: ClaimQuery): RawBuilder<number> {
  const wanted = sql.join(
    workClasses.map((workClass) => isOf(workClass)),
    sql` OR `,
  )
  return sql<number>`(
    SELECT sequence FROM jobs
    WHERE crashes >= ${sql.lit(SUSPECT_CRASHES)} AND due_ms <= ${given('now')} AND (lease_ms IS NULL OR lease_ms <= ${given('now')})
      AND (${wanted}) AND tenant NOT IN (SELECT tenant FROM shares WHERE paused)
    ORDER BY interruptions, crashes, sequence LIMIT 1)`
}

function isOf(workClass: WorkClass): RawBuilder<boolean> {
  return workClass === 'recognition'
    ? sql<boolean>`kind = ${RECOGNITION_KIND}`
    : sql<boolean>`kind <> ${RECOGNITION_KIND}`
}

/** The first due job of each tenant in a work class. A stream that was cut has no kind. */
function offersOf(workClass: WorkClass, place: number, { given }: ClaimQuery): RawBuilder<unknown> {
  const own = isOf(workClass)
  return sql`
    SELECT offer.first, ${sql.lit(place)} AS place, max(coalesce(shares.spent, 0) - work_classes.reached, 0) AS lag,
      coalesce(shares.turn, 0) AS turn
    FROM (
      SELECT tenant,
        count(*) FILTER (WHERE lease_ms > ${given('now')} AND kind <> '' AND ${own}) AS running,
        min(sequence) FILTER (WHERE crashes < ${sql.lit(SUSPECT_CRASHES)} AND due_ms <= ${given('now')}
          AND (lease_ms IS NULL OR lease_ms <= ${given('now')}) AND ${own}) AS first
      FROM jobs GROUP BY tenant
    ) AS offer
    JOIN work_classes ON work_classes.work_class = ${workClass}
    LEFT JOIN shares ON shares.tenant = offer.tenant AND shares.work_class = ${workClass}
    WHERE offer.first IS NOT NULL AND offer.running < ${given('max')}
      AND offer.tenant NOT IN (SELECT tenant FROM shares WHERE paused)`
}

/** Adds the cost of a claimed job to its tenant's share, and records the tenant's turn. */
function createCharge(
  database: ServiceDatabase,
): (job: { readonly tenant: string; readonly kind: TaskKind | ''; readonly cost: number }) => void {
  type Share = { readonly tenant: string; readonly workClass: WorkClass }
  type Charged = Share & { readonly cost: number }
  const written = <Values extends Share>(build: (given: Given<Values>) => RawBuilder<unknown>) =>
    database.written((given: Given<Values>) => ({ compile: () => build(given).compile(database) }))
  const enter = written<Share>(
    (given) => sql`
      INSERT INTO shares (tenant, work_class, spent, turn)
      SELECT ${given('tenant')}, ${given('workClass')}, reached, (SELECT coalesce(max(turn), 0) + 1 FROM shares)
      FROM work_classes WHERE work_class = ${given('workClass')}
      ON CONFLICT (tenant, work_class) DO UPDATE SET spent = max(spent, excluded.spent), turn = excluded.turn`,
  )
  const reach = written<Share>(
    (given) => sql`
      UPDATE work_classes SET reached = share.spent
      FROM (SELECT spent FROM shares WHERE tenant = ${given('tenant')} AND work_class = ${given('workClass')}) AS share
      WHERE work_class = ${given('workClass')} AND reached <> share.spent`,
  )
  const spend = written<Charged>(
    (given) => sql`
      UPDATE shares SET spent = spent + ${given('cost')}
      WHERE tenant = ${given('tenant')} AND work_class = ${given('workClass')}`,
  )
  return ({ tenant, kind, cost }) => {
    const workClass = workClassOf(kind)
    enter({ tenant, workClass })
    reach({ tenant, workClass })
    spend({ tenant, workClass, cost })
  }
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
    .where('work_class', '=', workClassOf(kind))
    .execute()
}

/**
 * Ends every lease in one transaction.
 * @param latest Milliseconds since 1970. No task waits longer: a clock that was set back would delay it.
 * @returns The number of leases
 */
export function dropLeases(
  database: Kysely<Tables>,
  { crashed = false }: DropLeasesOptions,
  latest: number,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    await transaction.updateTable('jobs').set({ due_ms: latest }).where('due_ms', '>', latest).execute()
    const drop = transaction
      .updateTable('jobs')
      .set((column) => ({ lease_ms: null, token: column('token', '+', 1) }))
      .where('lease_ms', 'is not', null)
    if (!crashed) return Number((await drop.executeTakeFirst()).numUpdatedRows)
    // Streams count as leases: a suspect beside a stream was not alone. A stream itself cannot continue.
    await sql`
      UPDATE jobs SET crashes = crashes + 1, attempts = max(attempts - 1, 0), interruptions = interruptions +
        (crashes >= ${SUSPECT_CRASHES} AND (SELECT count(*) FROM jobs WHERE lease_ms IS NOT NULL) = 1)
      WHERE lease_ms IS NOT NULL AND request IS NOT NULL`.execute(transaction)
    return Number((await drop.executeTakeFirst()).numUpdatedRows)
  })
}
