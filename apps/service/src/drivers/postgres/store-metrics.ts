import { sql } from 'kysely'
import type { ServerMetrics, StoreMetricsReader } from '../../ports/store-metrics.ts'
import { WORK_CLASSES } from '../../domain/task-kinds.ts'
import type { StorageArea } from '../../ports/storage-ledger.ts'
import { countExpired } from '../sql/store-metrics.ts'
import { type Now, type PostgresDatabase, SCHEMA, timeOf } from './database.ts'

/** Webhooks are counted up to this number. */
const MOST_WEBHOOKS = 10_000

/** Jobs that wait once more are counted up to this number. */
const MOST_AGAIN = 10_000

/**
 * Counts in PostgreSQL. They are the cluster's: every process reports the same. No read takes longer with a longer queue:
 * beyond 10,000, open tasks are those of the statistics, and no more webhooks are counted.
 */
export function createStoreMetricsReader(database: PostgresDatabase, now?: Now): StoreMetricsReader {
  return {
    countExpired: (before) => countExpired(database, before, `${SCHEMA}.`),
    async read() {
      const moment = timeOf(now)
      const { rows } = await sql<OpenRow>`
        WITH moment AS MATERIALIZED (SELECT ${moment} AS ms)
        SELECT svc_audio.count_jobs() AS jobs,
          (SELECT count(*) FROM svc_audio.jobs WHERE lease_ms > moment.ms) AS held,
          (SELECT count(*) FROM svc_audio.jobs WHERE lease_ms IS NOT NULL) AS leased,
          (SELECT count(*) FROM (
            SELECT FROM svc_audio.jobs WHERE lease_ms IS NULL AND token > 0 LIMIT ${sql.lit(MOST_AGAIN)}
          ) AS part) AS again,
          (SELECT min(f.created_ms) FROM unnest(${[...WORK_CLASSES]}::text[]) AS class,
            svc_audio.first_jobs(class, moment.ms) AS f WHERE NOT f.paused) AS oldest,
          (SELECT count(*) FROM (
            SELECT FROM svc_audio.webhooks WHERE status = 'pending' LIMIT ${sql.lit(MOST_WEBHOOKS)}
          ) AS part) AS webhooks
        FROM moment`.execute(database)
      const { jobs = 0, held = 0, leased = 0, again = 0, oldest = null, webhooks = 0 } = rows[0] ?? {}
      // A job has a token from its first claim on.
      const processing = Math.min(jobs, leased + again)
      const sums = await sql<{ area: StorageArea; bytes: number }>`
        SELECT area, sum(bytes)::bigint AS bytes FROM svc_audio.area_bytes GROUP BY area`.execute(database)
      const bytesOf = (area: StorageArea): number => sums.rows.find((row) => row.area === area)?.bytes ?? 0
      return {
        tasks: { PENDING: jobs - processing, PROCESSING: processing },
        queued: Math.max(0, jobs - held),
        oldestQueuedAt: oldest ?? undefined,
        pendingWebhooks: webhooks,
        storedBytes: { uploads: bytesOf('uploads'), inputs: bytesOf('inputs'), results: bytesOf('results') },
        server: await readServer(database),
      }
    },
  }
}

type OpenRow = Readonly<Record<'jobs' | 'held' | 'leased' | 'again' | 'webhooks', number>> & {
  readonly oldest: number | null
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
