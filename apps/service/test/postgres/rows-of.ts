import { sql } from 'kysely'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'

/**
 * Rows that some work reads in a transaction. The statistics may still have rows of earlier transactions, which PostgreSQL
 * moves on once a second: only the difference counts.
 */
export async function rowsOf(
  database: PostgresDatabase,
  work: (transaction: PostgresDatabase) => Promise<void>,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const count = async (): Promise<number> => {
      const { rows } = await sql<{ rows: number }>`
        SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows FROM pg_stat_xact_user_tables
        WHERE schemaname = 'svc_audio'`.execute(transaction)
      return rows[0]?.rows ?? Number.NaN
    }
    const before = await count()
    await work(transaction)
    return (await count()) - before
  })
}
