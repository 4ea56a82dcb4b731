import type { Kysely } from 'kysely'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import type { Tables } from './tables.ts'

/** The ledger in SQLite. */
export function createStorageLedger(database: Kysely<Tables>): StorageLedger {
  return {
    enter: ({ area, name, tenant, bytes }, most) =>
      database.transaction().execute(async (transaction) => {
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
    strike: (area, name) =>
      database
        .deleteFrom('objects')
        .where('area', '=', area)
        .where('name', '=', name)
        .returning(['tenant', 'bytes'])
        .execute(),
    retain: (area, names) =>
      database.transaction().execute(async (transaction) => {
        // The transaction starts with a write, so it never has to upgrade from reader to writer.
        const rows = await transaction
          .updateTable('objects')
          .set({ area })
          .where('area', '=', area)
          .returning('name')
          .execute()
        const left = new Set<string>()
        for (const { name } of rows) {
          if (names.has(name)) left.add(name)
          else await transaction.deleteFrom('objects').where('area', '=', area).where('name', '=', name).execute()
        }
        return left
      }),
    bytesOf: (tenant) => sumOf(database, tenant),
  }
}

async function sumOf(database: Kysely<Tables>, tenant: string): Promise<number> {
  const sum = database.selectFrom('objects').select((select) => select.fn.sum<number | null>('bytes').as('bytes'))
  const { bytes } = await sum.where('tenant', '=', tenant).executeTakeFirstOrThrow()
  return bytes ?? 0
}
