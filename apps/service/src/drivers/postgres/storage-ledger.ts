import { type Kysely, sql } from 'kysely'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import type { PostgresDatabase } from './database.ts'
import type { PostgresTables } from './tables.ts'

/** The ledger in PostgreSQL. */
export function createStorageLedger(database: PostgresDatabase): StorageLedger {
  return {
    enter: (entry, most) =>
      database.transaction().execute(async (transaction) => {
        const { area, name, tenant, bytes } = entry
        const row = { area, name, tenant, bytes }
        await transaction
          .insertInto('objects')
          .values(row)
          .onConflict((conflict) => conflict.columns(['area', 'name']).doUpdateSet(row))
          .execute()
        // The row of the sum is locked until the end: of several objects at once, the later ones see the earlier.
        if (most === undefined || (await sumOf(transaction, tenant)) <= most) return true
        await transaction.deleteFrom('objects').where('area', '=', area).where('name', '=', name).execute()
        return false
      }),
    strike: (area, name) =>
      database
        .deleteFrom('objects')
        .where('area', '=', area)
        .where('name', '=', name)
        .returning(['tenant', 'bytes'])
        .execute(),
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
  const query = database.selectFrom('stored_bytes').select('bytes').where('tenant', '=', tenant)
  return (await query.executeTakeFirst())?.bytes ?? 0
}
