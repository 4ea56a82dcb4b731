import { type Kysely, sql } from 'kysely'
import type { LeaderLock } from '../../ports/leader-lock.ts'
import { type PostgresDatabase, timeOf } from './database.ts'
import type { PostgresTables } from './tables.ts'

/**
 * Exclusive work by locks of the database. A lock belongs to one connection, and ends with it: work that continues after
 * its connection broke may overlap with the same work elsewhere.
 */
export function createLeaderLock(database: PostgresDatabase): LeaderLock {
  return {
    run: (name, work, interval = 0) =>
      database.connection().execute(async (connection) => {
        const key = sql`hashtextextended(${`svc_audio exclusive ${name}`}, 0)`
        const { rows } = await sql<{ held: boolean }>`SELECT pg_try_advisory_lock(${key}) AS held`.execute(connection)
        if (rows[0]?.held !== true) return false
        try {
          if (interval > 0 && (await endedSince(connection, name, interval))) return false
          await work()
          if (interval > 0) await recordEnd(connection, name)
        } finally {
          // A connection that breaks here releases the lock by its end.
          await sql`SELECT pg_advisory_unlock(${key})`.execute(connection).catch(() => {})
        }
        return true
      }),
  }
}

async function endedSince(database: Kysely<PostgresTables>, name: string, interval: number): Promise<boolean> {
  const query = database.selectFrom('exclusive_work').select('ended_ms').where('name', '=', name)
  const recent = query.where('ended_ms', '>', sql<number>`${timeOf(undefined)} - ${interval}::bigint`)
  return (await recent.executeTakeFirst()) !== undefined
}

async function recordEnd(database: Kysely<PostgresTables>, name: string): Promise<void> {
  const row = { name, ended_ms: timeOf(undefined) }
  const insert = database.insertInto('exclusive_work').values(row)
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ ended_ms: timeOf(undefined) })).execute()
}
