import { sql } from 'kysely'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import type { StorageArea } from '../../src/ports/storage-ledger.ts'

/** Settings of a server that notes how long each statement takes. */
export const watchStatements = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=top',
  'max_wal_size=8GB',
] as const

/** Tenants of the rows. */
const TENANTS = 300

/** How many days ago the rows are from: with every lifetime of a week or less, they have expired. */
const DAYS_AGO = 30

/**
 * Fills the tables with rows that have expired: this many ended tasks with a key, a delivered webhook and a result each,
 * and as many files, responses and requests of failed tasks.
 * @param terms.stored Is given the names of the objects. @default only the rows know them
 */
export async function fillWithExpired(
  database: PostgresDatabase,
  terms: { readonly amount: number; readonly stored?: Record<StorageArea, Set<string>> },
): Promise<void> {
  const { amount, stored } = terms
  const ms = sql`svc_audio.now_ms() - ${DAYS_AGO * 86_400_000}::bigint`
  const rows = sql`generate_series(1, ${amount}::bigint) AS n`
  const tenant = sql`'tenant-' || n % ${TENANTS}`
  const statements = [
    sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at, result)
      SELECT 'task_' || n, ${tenant}, 'audio.speech', CASE n % 10 WHEN 0 THEN 'FAILED' ELSE 'SUCCESS' END, 'm',
        (${ms}) / 1000, (${ms}) / 1000, '{"file":"task_' || n || '-1.wav"}' FROM ${rows}`,
    sql`INSERT INTO svc_audio.idempotency_keys (tenant, key, fingerprint, task_id)
      SELECT ${tenant}, 'key-' || n, 'f', 'task_' || n FROM ${rows}`,
    sql`INSERT INTO svc_audio.webhooks (id, task_id, tenant, url, status, attempts, token, due_ms, created_ms)
      SELECT 'msg_' || n, 'task_' || n, ${tenant}, 'https://example.com/', 'delivered', 1, 1, 0, 0 FROM ${rows}`,
    sql`INSERT INTO svc_audio.failed_requests (task_id, tenant, request, input, failed_ms)
      SELECT 'task_' || n, ${tenant}, '{}', 'input_' || n, ${ms} FROM ${rows}`,
    sql`INSERT INTO svc_audio.responses (tenant, key, fingerprint, response, stored_ms)
      SELECT ${tenant}, 'r-' || n, 'f', '{}', ${ms} FROM ${rows}`,
    sql`INSERT INTO svc_audio.files (id, tenant, filename, purpose, bytes, created_at)
      SELECT 'file_' || n, ${tenant}, 'a', '', 1, (${ms}) / 1000 FROM ${rows}`,
    ...(['uploads', 'inputs', 'results'] as const).map(
      (area) => sql`INSERT INTO svc_audio.objects (area, name, tenant, bytes, entered_ms)
        SELECT ${area}, ${sql.lit(NAMES[area][0])} || n || ${sql.lit(NAMES[area][1])}, ${tenant}, 1, ${ms} FROM ${rows}`,
    ),
  ]
  for (const statement of statements) await statement.execute(database)
  await sql`ANALYZE`.execute(database)
  await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`.execute(database)
  await sql`SELECT pg_stat_statements_reset()`.execute(database)
  if (stored === undefined) return
  for (const area of ['uploads', 'inputs', 'results'] as const) {
    const [before, after] = NAMES[area]
    for (let n = 1; n <= amount; n += 1) stored[area].add(`${before}${n}${after}`)
  }
}

const NAMES = { uploads: ['file_', ''], inputs: ['input_', ''], results: ['task_', '-1.wav'] } as const

/**
 * Returns the time of the longest statement that writes since the rows were made, in milliseconds. The first one that reads
 * past millions of deleted rows takes longer, but locks nothing.
 */
export async function longestWrite(database: PostgresDatabase): Promise<number> {
  const { rows } = await sql<{ max: number }>`
    SELECT max(max_exec_time) AS max FROM pg_stat_statements
    WHERE query ~* '\\m(delete|insert|update)\\M'`.execute(database)
  return rows[0]?.max ?? Number.NaN
}
