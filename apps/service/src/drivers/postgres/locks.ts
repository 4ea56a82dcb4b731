import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { KeyLocks, LeaderLock, RequestCounter } from '../../ports/processes.ts'
import { type PostgresDatabase, type PostgresTables, timeOf } from './database.ts'

/** Longest time that a crashed process blocks a key, in milliseconds. */
const HOLD_MS = 30_000

/** {@link KeyLocks} that are renewed until `close`. */
interface RenewedLocks extends KeyLocks {
  close(): void
}

/** Holds in PostgreSQL, for half a minute at a time. */
export function createKeyLocks(database: PostgresDatabase, clock: Clock): RenewedLocks {
  const held = new Set<string>()
  const until = sql<number>`${timeOf(undefined)} + ${HOLD_MS}::bigint`
  let cancel: (() => void) | undefined
  const renew = (): void => {
    const renewal = database.updateTable('keys_in_flight').set({ until_ms: until })
    const own = renewal.where('holder', '=', sql<string>`any(${[...held]}::text[])`)
    // The next renewal comes before a hold ends.
    if (held.size > 0) void own.execute().catch(() => {})
    cancel = clock.setTimer(HOLD_MS / 3, renew)
  }
  renew()
  return {
    async find(tenant, key) {
      const query = database.selectFrom('keys_in_flight').select('fingerprint').where('tenant', '=', tenant)
      const live = query.where('key', '=', key).where('until_ms', '>', timeOf(undefined))
      return (await live.executeTakeFirst())?.fingerprint
    },
    async hold(tenant, { key, fingerprint }) {
      const holder = randomUUID()
      const { rows } = await sql`
        INSERT INTO svc_audio.keys_in_flight (tenant, key, fingerprint, holder, until_ms)
        VALUES (${tenant}, ${key}, ${fingerprint}, ${holder}, ${until})
        ON CONFLICT (tenant, key) DO UPDATE
          SET fingerprint = excluded.fingerprint, holder = excluded.holder, until_ms = excluded.until_ms
          WHERE keys_in_flight.until_ms <= ${timeOf(undefined)}
        RETURNING holder`.execute(database)
      if (rows.length === 0) return undefined
      held.add(holder)
      return () => {
        held.delete(holder)
        // A hold that cannot be released ends by itself.
        const release = database.deleteFrom('keys_in_flight').where('holder', '=', holder)
        void release
          .where('tenant', '=', tenant)
          .where('key', '=', key)
          .execute()
          .catch(() => {})
      }
    },
    close: () => cancel?.(),
  }
}

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
          if ((await work()) !== false && interval > 0) await recordEnd(connection, name)
        } finally {
          // A connection that breaks here releases the lock by its end.
          await sql`SELECT pg_advisory_unlock(${key})`.execute(connection).catch(() => {})
        }
        return true
      }),
    async ages() {
      const age = sql<number>`${timeOf(undefined)} - ended_ms`.as('age')
      const rows = await database.selectFrom('exclusive_work').select(['name', age]).execute()
      return new Map(rows.map((row) => [row.name, row.age]))
    },
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
