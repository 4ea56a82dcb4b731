import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../domain/clock.ts'
import type { KeyLocks } from '../../ports/key-locks.ts'
import { type PostgresDatabase, timeOf } from './database.ts'

/** Longest time that a crashed process blocks a key, in milliseconds. */
const HOLD_MS = 30_000

/** {@link KeyLocks} that are renewed until `close`. */
export interface RenewedLocks extends KeyLocks {
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
