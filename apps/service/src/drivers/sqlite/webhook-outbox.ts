import type { SQLInputValue } from 'node:sqlite'
import { type RawBuilder, sql } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import type { WebhookClaim, WebhookOutbox } from '../../ports/webhook-outbox.ts'
import type { Given } from '../sql/shared-database.ts'
import { taskFromRow } from '../sql/task-rows.ts'
import { outboxOver } from '../sql/webhook-outbox.ts'
import { type ServiceDatabase, shareSqlite, type Tables } from './service-database.ts'

/** No attempt waits longer, in milliseconds. */
const LONGEST_DELAY_MS = 4 * 3600 * 1000

/** Lapsed leases that one claim returns. */
const RETURNED_AT_ONCE = 20

/**
 * The outbox in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createWebhookOutbox(database: ServiceDatabase, now: () => number = wallClockNow): WebhookOutbox {
  const claimNext = createClaim(database)
  const outbox = outboxOver(
    shareSqlite(database, now),
    (milliseconds, { slow = false, max = Number.MAX_SAFE_INTEGER } = {}) =>
      database.atomically(() => claimNext({ now: now(), milliseconds, max, slow: slow ? 1 : 0 })),
  )
  return {
    ...outbox,
    async dropLeases() {
      // A clock that was set back since the last start would delay them.
      const latest = now() + LONGEST_DELAY_MS
      const late = database.updateTable('webhooks').set({ due_ms: latest })
      await late.where('status', '=', 'pending').where('due_ms', '>', latest).execute()
      for (const table of ['webhook_receivers', 'webhook_lanes'] as const)
        await database.updateTable(table).set({ turn_ms: 0 }).where('turn_ms', '>', now()).execute()
      // Lanes have the times of their receivers.
      await sql`INSERT INTO webhook_changes SELECT tenant, receiver FROM webhook_receivers`.execute(database)
      return outbox.dropLeases()
    },
  }
}

/** Values of the queries of a claim. */
interface ClaimTerms extends Readonly<Record<string, number>> {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Length of the lease. */
  readonly milliseconds: number
  readonly max: number
  /** The lane: 1 for that of the slow receivers. */
  readonly slow: number
}

/** The call that is next, and its place. */
interface NextCall extends Readonly<Record<string, SQLInputValue>> {
  readonly id: string
  readonly tenant: string
  readonly receiver: string
}

type Turn = NextCall & Pick<ClaimTerms, 'now' | 'slow'>

/**
 * Prepares claims. Each step is a search in an index: the lane, its receiver, and its call. Call the result in a
 * transaction.
 */
function createClaim(database: ServiceDatabase): (terms: ClaimTerms) => WebhookClaim | undefined {
  const plain = <Values extends Readonly<Record<string, SQLInputValue>>, Row = unknown>(
    build: (given: Given<Values>) => RawBuilder<Row>,
  ) => database.written<Values, Row>((given) => ({ compile: () => build(given).compile(database) }))
  const returnLapsed = plain<ClaimTerms>(
    (given) => sql`
      UPDATE webhooks SET lease_ms = NULL WHERE id IN (
        SELECT id FROM webhooks WHERE lease_ms <= ${given('now')} ORDER BY lease_ms LIMIT ${sql.lit(RETURNED_AT_ONCE)})`,
  )
  const findNext = plain<ClaimTerms, NextCall>(nextCall)
  const turnLane = plain<Turn>(
    (given) => sql`
      UPDATE webhook_lanes SET turn_ms = ${given('now')}, turn = (SELECT max(turn) + 1 FROM webhook_lanes)
      WHERE tenant = ${given('tenant')} AND slow = ${given('slow')}`,
  )
  const turnReceiver = plain<Turn>(
    (given) => sql`
      UPDATE webhook_receivers SET turn_ms = ${given('now')}, turn = (SELECT max(turn) FROM webhook_lanes)
      WHERE tenant = ${given('tenant')} AND receiver = ${given('receiver')}`,
  )
  const lease = plain<Turn & { readonly until: number }, CallRow>(
    (given) => sql`
      UPDATE webhooks SET token = token + 1, attempts = attempts + 1, lease_ms = ${given('until')},
        slow = ${given('slow')}
      WHERE id = ${given('id')} RETURNING id, url, attempts, token, created_ms, task_id`,
  )
  const findTask = database.written((given: Given<{ readonly task: string }>) =>
    database.selectFrom('tasks').selectAll().where('id', '=', given('task')),
  )
  return (terms) => {
    returnLapsed(terms)
    const [next] = findNext(terms)
    if (next === undefined) return undefined
    const turn = { ...next, now: terms.now, slow: terms.slow }
    turnLane(turn)
    turnReceiver(turn)
    const [call] = lease({ ...turn, until: terms.now + terms.milliseconds })
    const [task] = call === undefined ? [] : findTask({ task: call.task_id })
    if (call === undefined || task === undefined) throw new Error(`The webhook ${next.id} has no task`)
    const { id, url, attempts, token, created_ms: createdAt } = call
    return { id, url, attempt: attempts, token, createdAt, task: taskFromRow(task) }
  }
}

type CallRow = Pick<Tables['webhooks'], 'id' | 'url' | 'attempts' | 'token' | 'created_ms' | 'task_id'>

/** The next call of a lane: that of the next receiver of the next tenant. */
export function nextCall(given: Given<ClaimTerms>): RawBuilder<NextCall> {
  const slow = sql`slow = ${given('slow')}`
  const lane = nextIn(given, { table: 'webhook_lanes', column: 'tenant', own: slow, max: given('max') })
  const ofLane = sql`${slow} AND tenant = lane.name`
  const receiver = nextIn(given, { table: 'webhook_receivers', column: 'receiver', own: ofLane })
  return sql<NextCall>`
    SELECT call.id, call.tenant, call.receiver
    FROM (SELECT (${lane}) AS name) AS lane
    CROSS JOIN webhooks AS call ON call.id = (
      SELECT id FROM webhooks
      WHERE status = 'pending' AND tenant = lane.name AND receiver = (${receiver}) AND due_ms <= ${given('now')}
        AND lease_ms IS NULL
      ORDER BY due_ms, id LIMIT 1)`
}

/** A queue of rows with calls in flight. */
interface Queue {
  readonly table: 'webhook_lanes' | 'webhook_receivers'
  readonly column: 'tenant' | 'receiver'
  /** Its rows, as a condition. */
  readonly own: RawBuilder<unknown>
  /** Rows with that many calls in flight do not count. @default all count */
  readonly max?: RawBuilder<number>
}

/**
 * The row with the fewest calls in flight that is ready; of several, the one that has waited longest. It looks at one row
 * for each number of calls in flight.
 */
function nextIn(
  given: Given<ClaimTerms>,
  { table, column, own, max = sql.lit(Number.MAX_SAFE_INTEGER) }: Queue,
): RawBuilder<string> {
  const rows = sql`${sql.table(table)} WHERE ready_ms IS NOT NULL AND ${own}`
  return sql`
    WITH RECURSIVE levels (number) AS (
      SELECT min(calls) FROM ${rows}
      UNION ALL
      SELECT (SELECT min(calls) FROM ${rows} AND calls > levels.number) FROM levels WHERE levels.number IS NOT NULL
    ), offers AS (
      SELECT levels.number, (
        SELECT ${sql.ref(column)} FROM ${rows} AND calls = levels.number AND ready_ms <= ${given('now')}
        ORDER BY ready_ms, turn LIMIT 1
      ) AS name FROM levels WHERE levels.number < ${max}
    )
    SELECT name FROM offers WHERE name IS NOT NULL ORDER BY number LIMIT 1`
}
