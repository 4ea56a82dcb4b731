import { sql } from 'kysely'
import type { BacklogCounts } from '../../ports/task-store.ts'
import type { ServiceDatabase } from './service-database.ts'

/** Counts the waiting and the recently ended tasks. Streams never wait. */
export async function countBacklog(database: ServiceDatabase, tenant: string, now: number): Promise<BacklogCounts> {
  const { rows } = await sql<BacklogCounts>`
    WITH waiting AS (
      SELECT tenant, count(*) AS amount, min(due_ms) AS oldest FROM jobs
      WHERE request IS NOT NULL AND due_ms <= ${now} AND (lease_ms IS NULL OR lease_ms <= ${now}) GROUP BY tenant
    ), busy AS (
      SELECT coalesce(min(60, (${now} - min(oldest)) / 1000), 0) AS seconds FROM waiting
    ) SELECT
      coalesce((SELECT amount FROM waiting WHERE tenant = ${tenant}), 0) AS own,
      (SELECT coalesce(sum(amount), 0) FROM waiting) AS "all",
      (SELECT count(*) FROM waiting) AS tenants,
      seconds,
      (SELECT count(*) FROM tasks WHERE status IN ('SUCCESS', 'FAILED') AND updated_at > ${Math.floor(now / 1000)} - seconds)
        AS ended
    FROM busy`.execute(database)
  return rows[0] ?? NOTHING
}

const NOTHING: BacklogCounts = { own: 0, all: 0, tenants: 0, seconds: 0, ended: 0 }
