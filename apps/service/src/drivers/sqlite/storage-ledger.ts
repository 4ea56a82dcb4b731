import type { Kysely, Selectable, Transaction } from 'kysely'
import type { StorageArea, StorageLedger } from '../../ports/storage-ledger.ts'
import type { Tables } from './tables.ts'

/**
 * The ledger in SQLite. The sum of each tenant stays in memory: a sum over all objects of a tenant would slow down every
 * accepted task. Only one ledger at a time may change a database.
 */
export function createStorageLedger(database: Kysely<Tables>): StorageLedger {
  const sums = new Map<string, Promise<{ bytes: number }>>()
  const sumOf = (tenant: string): Promise<{ bytes: number }> => {
    const known = sums.get(tenant) ?? readSum(database, tenant)
    sums.set(tenant, known)
    // A failed read is repeated.
    known.catch(() => sums.delete(tenant))
    return known
  }
  const forget = (rows: readonly Pick<Selectable<Tables['objects']>, 'tenant' | 'bytes'>[]): void => {
    for (const { tenant, bytes } of rows) void sumOf(tenant).then((sum) => (sum.bytes -= bytes), ignore)
  }
  return {
    async enter({ area, name, tenant, bytes }, most = Infinity) {
      const sum = await sumOf(tenant)
      if (sum.bytes + bytes > most) return false
      // Counted before it is written: of several objects at once, the later ones see the earlier.
      sum.bytes += bytes
      try {
        const replaced = await database.transaction().execute(async (transaction) => {
          const before = await strike(transaction, area, name)
          await transaction.insertInto('objects').values({ area, name, tenant, bytes }).execute()
          return before
        })
        forget(replaced)
        return true
      } catch (error) {
        sum.bytes -= bytes
        throw error
      }
    },
    async strike(area, name) {
      // A sum that is being read may include the row or not: it must be read before.
      await Promise.allSettled(sums.values())
      forget(await strike(database, area, name))
    },
    async retain(area, names) {
      const left = await retainRows(database, area, names)
      sums.clear()
      return left
    },
    bytesOf: async (tenant) => (await sumOf(tenant)).bytes,
  }
}

const ignore = (): void => undefined

function strike(database: Kysely<Tables>, area: StorageArea, name: string) {
  const row = database.deleteFrom('objects').where('area', '=', area).where('name', '=', name)
  return row.returning(['tenant', 'bytes']).execute()
}

function retainRows(
  database: Kysely<Tables>,
  area: StorageArea,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  return database.transaction().execute(async (transaction: Transaction<Tables>) => {
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
      else await strike(transaction, area, name)
    }
    return left
  })
}

async function readSum(database: Kysely<Tables>, tenant: string): Promise<{ bytes: number }> {
  const sum = database.selectFrom('objects').select((select) => select.fn.sum<number | null>('bytes').as('bytes'))
  const { bytes } = await sum.where('tenant', '=', tenant).executeTakeFirstOrThrow()
  return { bytes: bytes ?? 0 }
}
