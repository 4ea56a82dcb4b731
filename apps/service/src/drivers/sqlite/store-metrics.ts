import { calendarNow } from '../../domain/calendar.ts'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { StoreMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'
import type { Tables } from './tables.ts'

const Amount = z.object({ name: z.string(), amount: z.number() })

/**
 * Counts in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createStoreMetricsReader(
  database: Kysely<Tables>,
  now: () => number = calendarNow,
): StoreMetricsReader {
  const amounts = async (query: ReturnType<typeof sql>): Promise<Map<string, number>> => {
    const { rows } = await query.execute(database)
    return new Map(rows.map((row) => Amount.parse(row)).map(({ name, amount }) => [name, amount]))
  }
  return {
    async read(): Promise<StoreMetrics> {
      const tasks = await amounts(sql`SELECT status AS name, count(*) AS amount FROM tasks GROUP BY status`)
      const webhooks = await amounts(sql`SELECT status AS name, count(*) AS amount FROM webhooks GROUP BY status`)
      const bytes = await amounts(sql`SELECT area AS name, sum(bytes) AS amount FROM objects GROUP BY area`)
      const { count, oldest } = await database
        .selectFrom('jobs')
        .select((select) => [select.fn.countAll<number>().as('count'), select.fn.min('created_ms').as('oldest')])
        .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', now())]))
        .executeTakeFirstOrThrow()
      return {
        tasks: {
          PENDING: of(tasks, 'PENDING'),
          PROCESSING: of(tasks, 'PROCESSING'),
          SUCCESS: of(tasks, 'SUCCESS'),
          FAILED: of(tasks, 'FAILED'),
        },
        queued: count,
        oldestQueuedAt: count === 0 ? undefined : oldest,
        webhooks: {
          pending: of(webhooks, 'pending'),
          delivered: of(webhooks, 'delivered'),
          failed: of(webhooks, 'failed'),
        },
        storedBytes: { uploads: of(bytes, 'uploads'), inputs: of(bytes, 'inputs'), results: of(bytes, 'results') },
      }
    },
  }
}

function of(amounts: ReadonlyMap<string, number>, name: string): number {
  return amounts.get(name) ?? 0
}
