import { sql } from 'kysely'
import type { StoreMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'

/** The queries of the amounts. Each reads open work or a few sums, by index. */
export const AMOUNTS = {
  tasks: `SELECT status AS name, count(*) AS amount FROM svc_audio.tasks
    WHERE status IN ('PENDING', 'PROCESSING') GROUP BY status`,
  webhooks: `SELECT 'pending' AS name, count(*) AS amount FROM svc_audio.webhooks WHERE status = 'pending'`,
  bytes: 'SELECT area AS name, sum(bytes)::bigint AS amount FROM svc_audio.area_bytes GROUP BY area',
} as const

/** Counts in PostgreSQL. They are the cluster's: every process reports the same. */
export function createStoreMetricsReader(database: PostgresDatabase, now?: Now): StoreMetricsReader {
  const amounts = async (query: string): Promise<Map<string, number>> => {
    const { rows } = await sql.raw<Amount>(query).execute(database)
    return new Map(rows.map(({ name, amount }) => [name, amount]))
  }
  return {
    async read(): Promise<StoreMetrics> {
      const tasks = await amounts(AMOUNTS.tasks)
      const webhooks = await amounts(AMOUNTS.webhooks)
      const bytes = await amounts(AMOUNTS.bytes)
      const { count, oldest } = await database
        .selectFrom('jobs')
        .select((select) => [select.fn.countAll<number>().as('count'), select.fn.min('created_ms').as('oldest')])
        .where((is) => is.or([is('lease_ms', 'is', null), is('lease_ms', '<=', timeOf(now))]))
        .executeTakeFirstOrThrow()
      return {
        tasks: { PENDING: tasks.get('PENDING') ?? 0, PROCESSING: tasks.get('PROCESSING') ?? 0 },
        queued: count,
        oldestQueuedAt: count === 0 ? undefined : oldest,
        pendingWebhooks: webhooks.get('pending') ?? 0,
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
