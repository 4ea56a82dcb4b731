import { sql } from 'kysely'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { createStorageLedger } from '../../src/drivers/postgres/storage-ledger.ts'
import { createStoreMetricsReader } from '../../src/drivers/postgres/store-metrics.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import { createPostgresTenants } from '../../src/drivers/postgres/tenant-store.ts'

/**
 * Fills the tables with ended tasks, waiting tasks, files, objects, responses and webhooks of tenants in turn. A tenth of
 * the ended tasks has failed in the last hour.
 * @param amounts `ended`: ended tasks, `others`: rows of each other kind
 */
export async function fillWithWork(
  database: PostgresDatabase,
  { ended, others, tenants }: { readonly ended: number; readonly others: number; readonly tenants: number },
): Promise<void> {
  const rows = sql`generate_series(1, ${others}::bigint) AS n`
  const tenant = sql`'tenant-' || n % ${tenants}::bigint`
  const seconds = sql`extract(epoch FROM now())::bigint - 60`
  const statements = [
    sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 'ended-' || n, ${tenant}, 'audio.speech', CASE (n / ${tenants}) % 10 WHEN 0 THEN 'FAILED' ELSE 'SUCCESS' END,
        'm', ${seconds}, ${seconds} - (CASE (n / ${tenants}) % 10 WHEN 0 THEN n % 3500 ELSE 3600 + n % 1000000 END)
      FROM generate_series(1, ${ended}::bigint) AS n`,
    sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 'open-' || n, ${tenant}, 'audio.speech', 'PENDING', 'm', ${seconds}, ${seconds} FROM ${rows}`,
    // The jobs of a filled table need no shares: nothing claims them.
    sql`ALTER TABLE svc_audio.jobs DISABLE TRIGGER offer_new`,
    sql`INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, token, attempts, due_ms, created_ms, cost)
      SELECT 'open-' || n, ${tenant}, 'audio.speech', '{}', 0, 0, svc_audio.now_ms() - 60000, svc_audio.now_ms() - 60000, 1000
      FROM ${rows}`,
    sql`ALTER TABLE svc_audio.jobs ENABLE TRIGGER offer_new`,
    sql`INSERT INTO svc_audio.responses (tenant, key, fingerprint, response, stored_ms)
      SELECT ${tenant}, 'r-' || n, 'f', '{}', svc_audio.now_ms() FROM ${rows}`,
    sql`INSERT INTO svc_audio.files (id, tenant, filename, purpose, bytes, created_at)
      SELECT 'file_' || n, ${tenant}, 'a', '', 1, ${seconds} FROM ${rows}`,
    sql`INSERT INTO svc_audio.objects (area, name, tenant, bytes) SELECT 'uploads', 'file_' || n, ${tenant}, 1 FROM ${rows}`,
    sql`INSERT INTO svc_audio.webhooks (id, task_id, tenant, url, status, attempts, token, due_ms, created_ms)
      SELECT 'msg_' || n, 'ended-' || n, ${tenant}, 'https://example.com/', 'delivered', 1, 1, 0, 0 FROM ${rows}`,
  ]
  for (const statement of statements) await statement.execute(database)
  await sql`VACUUM (ANALYZE) svc_audio.tasks, svc_audio.jobs, svc_audio.files, svc_audio.objects, svc_audio.responses`.execute(
    database,
  )
}

const DAY = 86_400_000

/** What operators' commands, scrapes, estimates and the autoscaler read. */
export const OPERATOR_READS: Readonly<Record<string, (database: PostgresDatabase) => Promise<unknown>>> = {
  queue: (database) => createTaskStore(database).queue(Date.now() - DAY),
  'tasks list': (database) => createTaskStore(database).list('tenant-1', { limit: 20 }),
  'tasks list --status FAILED': (database) =>
    createTaskStore(database).list('tenant-1', { limit: 20, status: 'FAILED' }),
  'tasks list --status SUCCESS': (database) =>
    createTaskStore(database).list('tenant-1', { limit: 20, status: 'SUCCESS' }),
  'tasks show': (database) => createTaskStore(database).find('tenant-1', 'open-1'),
  'tenants list': (database) => createPostgresTenants(database).list(),
  'is it a tenant': (database) => createPostgresTenants(database).has('nobody'),
  'a tenant of that name is near': (database) => createPostgresTenants(database).names(),
  'bytes of a tenant': (database) => createStorageLedger(database).bytesOf('tenant-1'),
  'a scrape': (database) => createStoreMetricsReader(database).read(),
  'expired rows of a scrape': (database) => {
    const before = Date.now() - 30 * DAY
    return createStoreMetricsReader(database).countExpired({
      files: before,
      inputs: before,
      requests: before,
      responses: before,
      tasks: before,
    })
  },
  'an estimate of a wait': (database) => createTaskStore(database).backlog('speech'),
  'the autoscaler': (database) => sql`SELECT svc_audio.oldest_wait_seconds('speech')`.execute(database),
}
