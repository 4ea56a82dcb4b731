import { sql } from 'kysely'
import type { BacklogCounts } from '../../ports/task-store.ts'
import { type Now, type PostgresDatabase, timeOf } from './database.ts'

/** Counts the waiting and the recently ended tasks. Streams never wait. */
export async function countBacklog(database: PostgresDatabase, tenant: string, now?: Now): Promise<BacklogCounts> {
  const { rows } = await sql<BacklogCounts>`
    WITH moment AS MATERIALIZED (SELECT ${timeOf(now)} AS ms), waiting AS (
      SELECT tenant, count(*) AS amount, min(due_ms) AS oldest FROM svc_audio.jobs
      WHERE request IS NOT NULL AND ready_ms <= (SELECT ms FROM moment) GROUP BY tenant
    ), busy AS (
      SELECT ms, (SELECT least(60, coalesce((ms - min(oldest)) / 1000, 0)) FROM waiting) AS seconds FROM moment
    ) SELECT
      coalesce((SELECT amount FROM waiting WHERE tenant = ${tenant}), 0) AS own,
      (SELECT coalesce(sum(amount), 0)::bigint FROM waiting) AS "all",
      (SELECT count(*) FROM waiting) AS tenants,
      seconds,
      (SELECT count(*) FROM svc_audio.tasks
        WHERE status IN ('SUCCESS', 'FAILED') AND updated_at > busy.ms / 1000 - busy.seconds) AS ended
    FROM busy`.execute(database)
  return rows[0] ?? { own: 0, all: 0, tenants: 0, seconds: 0, ended: 0 }
}
