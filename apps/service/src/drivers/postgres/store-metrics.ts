import { sql } from 'kysely'
import type { ServerMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'
import { storeMetricsOver } from '../sql/store-metrics.ts'
import { type Now, type PostgresDatabase, SCHEMA, timeOf } from './database.ts'

/** The queries of the amounts. Each reads open work or a few sums, by index. */
export const AMOUNTS = {
  // A job has a token from its first claim on.
  tasks: `SELECT CASE token WHEN 0 THEN 'PENDING' ELSE 'PROCESSING' END AS name, count(*) AS amount
    FROM svc_audio.jobs GROUP BY 1`,
  webhooks: `SELECT 'pending' AS name, count(*) AS amount FROM svc_audio.webhooks WHERE status = 'pending'`,
  bytes: 'SELECT area AS name, sum(bytes)::bigint AS amount FROM svc_audio.area_bytes GROUP BY area',
} as const

/** Counts in PostgreSQL. They are the cluster's: every process reports the same. */
export function createStoreMetricsReader(database: PostgresDatabase, now?: Now): StoreMetricsReader {
  const counts = storeMetricsOver(database.$pickTables<'jobs'>(), AMOUNTS, () => timeOf(now), `${SCHEMA}.`)
  return {
    countExpired: (before) => counts.countExpired(before),
    async read() {
      const stored = await counts.read()
      return { ...stored, server: await readServer(database) }
    },
  }
}

/** Tables whose dead rows slow down the claims. */
const QUEUE_TABLES = ['jobs', 'shares', 'work_classes', 'webhooks'] as const

/**
 * A transaction that holds rows back shows its age, or nothing to a role without `pg_read_all_stats`. A standby's lag is
 * none while it has replayed everything.
 */
async function readServer(database: PostgresDatabase): Promise<ServerMetrics> {
  const { rows } = await sql<ServerRow>`
    SELECT
      (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::double precision FROM pg_stat_activity
        WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()) AS oldest,
      (SELECT max(extract(epoch FROM coalesce(replay_lag, '0'::interval)))::double precision FROM pg_stat_replication
        WHERE state IS NOT NULL) AS lag,
      (SELECT json_object_agg(relname, n_dead_tup) FROM pg_stat_user_tables
        WHERE schemaname = 'svc_audio' AND relname = ANY (${[...QUEUE_TABLES]}::text[])) AS dead`.execute(database)
  const { oldest = 0, lag = null, dead = null } = rows[0] ?? {}
  return {
    oldestSnapshotSeconds: oldest,
    deadRows: dead ?? {},
    ...(lag === null ? {} : { replicationLagSeconds: lag }),
  }
}

interface ServerRow {
  readonly oldest: number
  readonly lag: number | null
  readonly dead: Readonly<Record<string, number>> | null
}
