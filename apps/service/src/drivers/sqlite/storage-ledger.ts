import type { Kysely } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import { dayOf } from '../../domain/usage.ts'
import type { StorageArea, StorageLedger } from '../../ports/storage-ledger.ts'
import type { Given } from '../sql/shared-database.ts'
import { ledgerOver, type LedgerTables } from '../sql/storage-ledger.ts'
import { createUsageInsert } from './end-task.ts'
import type { ServiceDatabase, Tables } from './service-database.ts'

/**
 * The ledger in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createStorageLedger(database: ServiceDatabase, now: () => number = wallClockNow): StorageLedger {
  return ledgerOver(database.$pickTables<'objects' | 'usage' | 'usage_batches'>(), {
    sumOf,
    enter: createEnter(database, now),
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
  })
}

/** The entry, with prepared queries: every result of a task has one. */
function createEnter(database: ServiceDatabase, now: () => number): StorageLedger['enter'] {
  type Name = { readonly area: StorageArea; readonly name: string }
  const insert = database.written((given: Given<Name & { readonly tenant: string; readonly bytes: number }>) => {
    const rest = { tenant: given('tenant'), bytes: given('bytes') }
    return database
      .insertInto('objects')
      .values({ area: given('area'), name: given('name'), ...rest })
      .onConflict((conflict) => conflict.columns(['area', 'name']).doUpdateSet(rest))
  })
  const sum = database.written((given: Given<{ readonly tenant: string }>) =>
    sumQuery(database.$pickTables<'objects'>()).where('tenant', '=', given('tenant')),
  )
  const remove = database.written((given: Given<Name>) =>
    database.deleteFrom('objects').where('area', '=', given('area')).where('name', '=', given('name')),
  )
  const insertUsage = createUsageInsert(database)
  return ({ area, name, tenant, bytes }, max) =>
    database.atomically(() => {
      insert({ area, name, tenant, bytes })
      if (max === undefined || (sum({ tenant })[0]?.bytes ?? 0) <= max) {
        insertUsage({ tenant, day: dayOf(now()), kind: 'storage', storedBytes: bytes })
        return true
      }
      remove({ area, name })
      return false
    })
}

function sumQuery(database: Kysely<Pick<Tables, 'objects'>>) {
  return database.selectFrom('objects').select((select) => select.fn.sum<number | null>('bytes').as('bytes'))
}

async function sumOf(database: Kysely<LedgerTables>, tenant: string): Promise<number> {
  const sum = sumQuery(database.$pickTables<'objects'>())
  const { bytes } = await sum.where('tenant', '=', tenant).executeTakeFirstOrThrow()
  return bytes ?? 0
}
