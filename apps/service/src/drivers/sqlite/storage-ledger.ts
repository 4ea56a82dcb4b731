import type { Kysely } from 'kysely'
import { STORAGE_AREAS, type StorageArea, type StorageLedger } from '../../ports/storage-ledger.ts'
import { dayOf } from '../../domain/usage.ts'
import { wallClockNow } from '../../domain/clock.ts'
import type { Given } from '../sql/shared-database.ts'
import type { ServiceDatabase } from './service-database.ts'
import type { Tables } from './tables.ts'
import { createUsageInsert } from './usage-insert.ts'

/** The tables of a ledger. */
export type LedgerTables = Pick<Tables, 'objects' | 'usage' | 'usage_batches'>

/** The queries that each database has its own way for. */
export interface LedgerQueries extends Pick<StorageLedger, 'enter' | 'retain'> {
  /** Sums a tenant's bytes. Within a transaction, later ones of the tenant must see its change. */
  readonly sumOf: (database: Kysely<LedgerTables>, tenant: string) => Promise<number>
}

/** A ledger over the tables of any database. */
export function ledgerOver(
  database: Kysely<LedgerTables>,
  { enter, retain, sumOf: sum }: LedgerQueries,
): StorageLedger {
  return {
    enter,
    retain,
    strike: (area, names) =>
      database
        .deleteFrom('objects')
        .where('area', '=', area)
        .where('name', 'in', names)
        .returning(['tenant', 'bytes'])
        .execute(),
    async names(area) {
      const rows = await database.selectFrom('objects').select('name').where('area', '=', area).execute()
      return rows.map(({ name }) => name)
    },
    async entriesOf(tenant) {
      const rows = await database.selectFrom('objects').selectAll().where('tenant', '=', tenant).execute()
      return rows.map(({ area, name, bytes }) => ({ area: areaOf(area), name, tenant, bytes }))
    },
    bytesOf: (tenant) => sum(database, tenant),
  }
}

function areaOf(name: string): StorageArea {
  const area = STORAGE_AREAS.find((known) => known === name)
  if (area === undefined) throw new TypeError(`The ledger has the unknown area ${name}`)
  return area
}

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
