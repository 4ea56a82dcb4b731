import { type Kysely, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { StoreMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'

const Amount = z.object({ name: z.string(), amount: z.number() })

/** The columns of open work that are counted. */
interface CountedJobs {
  readonly lease_ms: number | null
  readonly created_ms: number
}

/**
 * Counts in any database.
 * @param queries Queries of the amounts, each with columns `name` and `amount`.
 * @param now The time as a value of a query, in milliseconds since 1970.
 */
export function storeMetricsOver(
  database: Kysely<{ readonly jobs: CountedJobs }>,
  queries: Readonly<Record<'tasks' | 'webhooks' | 'bytes', string>>,
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
