import type { Kysely } from 'kysely'
import { STORAGE_AREAS, type StorageArea, type StorageLedger } from '../../ports/storage-ledger.ts'
import type { CommonTables } from './tables.ts'

/** The tables of a ledger. */
export type LedgerTables = Pick<CommonTables, 'objects' | 'usage' | 'usage_batches'>

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
