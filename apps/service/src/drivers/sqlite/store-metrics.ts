import { type Kysely, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { wallClockNow } from '../../domain/clock.ts'
import type { StoreMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'
import type { Tables } from './tables.ts'

const Amount = z.object({ name: z.string(), amount: z.number() })

/**
 * The queries of the amounts. Each reads open work or a few sums, by index. The cross join reads `jobs` first, whatever
 * the planner knows of the tables.
 */
export const AMOUNTS = {
  tasks: 'SELECT status AS name, count(*) AS amount FROM jobs CROSS JOIN tasks ON tasks.id = task_id GROUP BY status',
  webhooks: `SELECT 'pending' AS name, count(*) AS amount FROM webhooks WHERE status = 'pending'`,
  bytes: 'SELECT area AS name, bytes AS amount FROM area_bytes',
} as const

/**
 * Counts in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createStoreMetricsReader(
  database: Kysely<Tables>,
  now: () => number = wallClockNow,
): StoreMetricsReader {
  return storeMetricsOver(database.$pickTables<'jobs'>(), AMOUNTS, now)
}

/**
 * Counts in any database.
 * @param queries Queries of the amounts, as {@link AMOUNTS}.
 * @param now The time as a value of a query, in milliseconds since 1970.
 */
export function storeMetricsOver(
  database: Kysely<Pick<Tables, 'jobs'>>,
  queries: Readonly<Record<keyof typeof AMOUNTS, string>>,
  now: () => number | RawBuilder<number>,
): StoreMetricsReader {
  const amounts = async (query: string): Promise<Map<string, number>> => {
    const { rows } = await sql.raw(query).execute(database)
    return new Map(rows.map((row) => Amount.parse(row)).map(({ name, amount }) => [name, amount]))
  }
  return {
    async read(): Promise<StoreMetrics> {
      const tasks = await amounts(queries.tasks)
      const webhooks = await amounts(queries.webhooks)
      const bytes = await amounts(queries.bytes)
      const { count, oldest } = await database
        .selectFrom('jobs')
        .select((select) => [select.fn.countAll<number>().as('count'), select.fn.min('created_ms').as('oldest')])
        .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', now())]))
        .executeTakeFirstOrThrow()
      return {
        tasks: { PENDING: of(tasks, 'PENDING'), PROCESSING: of(tasks, 'PROCESSING') },
        queued: count,
        oldestQueuedAt: count === 0 ? undefined : oldest,
        pendingWebhooks: of(webhooks, 'pending'),
        storedBytes: { uploads: of(bytes, 'uploads'), inputs: of(bytes, 'inputs'), results: of(bytes, 'results') },
      }
    },
  }
}

function of(amounts: ReadonlyMap<string, number>, name: string): number {
  return amounts.get(name) ?? 0
}
