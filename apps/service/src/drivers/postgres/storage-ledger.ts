import { type Kysely, sql } from 'kysely'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import type { PostgresDatabase } from './database.ts'
import { lockSubject } from './locks.ts'
import type { PostgresTables } from './tables.ts'

/** The ledger in PostgreSQL. */
export function createStorageLedger(database: PostgresDatabase): StorageLedger {
  return {
    enter: (entry, most) =>
      database.transaction().execute(async (transaction) => {
        const { area, name, tenant, bytes } = entry
        if (most !== undefined) await lockSubject(transaction, 'stored bytes', tenant)
        const row = { area, name, tenant, bytes }
        await transaction
          .insertInto('objects')
          .values(row)
          .onConflict((conflict) => conflict.columns(['area', 'name']).doUpdateSet(row))
          .execute()
        if (most === undefined || (await sumOf(transaction, tenant)) <= most) return true
        await transaction.deleteFrom('objects').where('area', '=', area).where('name', '=', name).execute()
        return false
      }),
    async strike(area, name) {
      await database.deleteFrom('objects').where('area', '=', area).where('name', '=', name).execute()
    },
    async retain(area, names) {
      const all = [...names]
      const { rows } = await sql<{ name: string }>`
        WITH kept AS (SELECT unnest(${all}::text[]) AS name), gone AS (
          DELETE FROM svc_audio.objects WHERE area = ${area} AND NOT EXISTS (SELECT FROM kept WHERE kept.name = objects.name)
        )
        SELECT objects.name FROM svc_audio.objects JOIN kept ON kept.name = objects.name WHERE area = ${area}`.execute(
        database,
      )
      return new Set(rows.map(({ name }) => name))
    },
    bytesOf: (tenant) => sumOf(database, tenant),
  }
}

async function sumOf(database: Kysely<PostgresTables>, tenant: string): Promise<number> {
  // A sum of `bigint` is a `numeric`, whose values come as text.
  const sum = database.selectFrom('objects').select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'))
  return (await sum.where('tenant', '=', tenant).executeTakeFirstOrThrow()).bytes
}
