import type { StoreMetricsReader } from '../../ports/store-metrics.ts'
import { storeMetricsOver } from '../sqlite/store-metrics.ts'
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
  return storeMetricsOver(database.$pickTables<'jobs'>(), AMOUNTS, () => timeOf(now))
}
