import { sql } from 'kysely'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import { ledgerOver, type LedgerQueries } from '../sqlite/storage-ledger.ts'
import type { Now, PostgresDatabase } from './database.ts'
import { usageSlot } from './usage-slot.ts'
import type { PostgresTables } from './tables.ts'

/** The ledger in PostgreSQL. */
export function createStorageLedger(database: PostgresDatabase, now?: Now): StorageLedger {
  return ledgerOver(database.$pickTables<'objects' | 'usage' | 'usage_batches'>(), {
    sumOf,
    slot: usageSlot(),
    ...(now === undefined ? {} : { now }),
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
  })
}

/** A change locks the row of the sum until the end: of several objects at once, the later ones see the earlier. */
const sumOf: LedgerQueries['sumOf'] = async (database, tenant) => {
  const tables = database.$extendTables<Pick<PostgresTables, 'stored_bytes'>>()
  const query = tables.selectFrom('stored_bytes').select('bytes').where('tenant', '=', tenant)
  return (await query.executeTakeFirst())?.bytes ?? 0
}
