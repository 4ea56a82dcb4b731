import { type RawBuilder, sql } from 'kysely'
import type { StoreMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'

/** Counts in PostgreSQL. They are the cluster's: every process reports the same. */
export function createStoreMetricsReader(database: PostgresDatabase, now?: Now): StoreMetricsReader {
  const amounts = async (query: RawBuilder<Amount>): Promise<Map<string, number>> => {
    const { rows } = await query.execute(database)
    return new Map(rows.map(({ name, amount }) => [name, amount]))
  }
  return {
    async read(): Promise<StoreMetrics> {
      const tasks = await amounts(
        sql<Amount>`SELECT status AS name, count(*) AS amount FROM svc_audio.tasks GROUP BY status`,
      )
      const webhooks = await amounts(
        sql<Amount>`SELECT status AS name, count(*) AS amount FROM svc_audio.webhooks GROUP BY status`,
      )
      const bytes = await amounts(
        sql<Amount>`SELECT area AS name, sum(bytes)::bigint AS amount FROM svc_audio.objects GROUP BY area`,
      )
      const { count, oldest } = await database
        .selectFrom('jobs')
        .select((select) => [select.fn.countAll<number>().as('count'), select.fn.min('created_ms').as('oldest')])
        .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', timeOf(now))]))
        .executeTakeFirstOrThrow()
      return {
        tasks: {
          PENDING: tasks.get('PENDING') ?? 0,
          PROCESSING: tasks.get('PROCESSING') ?? 0,
          SUCCESS: tasks.get('SUCCESS') ?? 0,
          FAILED: tasks.get('FAILED') ?? 0,
        },
        queued: count,
        oldestQueuedAt: count === 0 ? undefined : oldest,
        webhooks: {
          pending: webhooks.get('pending') ?? 0,
          delivered: webhooks.get('delivered') ?? 0,
          failed: webhooks.get('failed') ?? 0,
        },
        storedBytes: {
          uploads: bytes.get('uploads') ?? 0,
          inputs: bytes.get('inputs') ?? 0,
          results: bytes.get('results') ?? 0,
        },
      }
    },
  }
}

interface Amount {
  readonly name: string
  readonly amount: number
}
