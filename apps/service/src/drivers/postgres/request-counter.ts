import { sql } from 'kysely'
import type { RequestCounter } from '../../ports/request-counter.ts'
import { type PostgresDatabase, timeOf } from './database.ts'

/** Expired counts are removed once in this many requests. */
const REMOVAL_INTERVAL = 1000

/** Counts in PostgreSQL, in a table without a log: a crash of the database only starts new windows. */
export function createRequestCounter(database: PostgresDatabase): RequestCounter {
  let counted = 0
  return {
    async count(key, window) {
      counted += 1
      if (counted % REMOVAL_INTERVAL === 0) await removeExpired(database)
      const { rows } = await sql<{ amount: number; left: number }>`
        WITH moment AS MATERIALIZED (SELECT svc_audio.now_ms() AS ms)
        INSERT INTO svc_audio.request_counts AS counts (key, amount, until_ms)
        SELECT ${key}, 1, ms + ${window}::bigint FROM moment
        ON CONFLICT (key) DO UPDATE SET
          amount = CASE WHEN counts.until_ms <= svc_audio.now_ms() THEN 1 ELSE counts.amount + 1 END,
          until_ms = CASE WHEN counts.until_ms <= svc_audio.now_ms() THEN excluded.until_ms ELSE counts.until_ms END
        RETURNING amount, greatest(until_ms - svc_audio.now_ms(), 0) AS left`.execute(database)
      return rows[0] ?? { amount: 1, left: window }
    },
  }
}

async function removeExpired(database: PostgresDatabase): Promise<void> {
  await database.deleteFrom('request_counts').where('until_ms', '<', timeOf(undefined)).execute()
}
