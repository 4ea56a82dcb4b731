import type { StorageArea } from '../ports/storage-ledger.ts'
import type { ServiceOptions } from '../service-options.ts'
import { findOrphans, ORPHAN_AGE_MS, type Orphans, type OrphanServices } from '../use-cases/sweep.ts'
import { withAudit } from './audited.ts'
import { jsonText, type ListFormat, table } from './list-format.ts'
import { type Areas, AREAS, withObjects } from './with-objects.ts'
import { withStores } from './with-stores.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import { systemClock } from '../domain/clock.ts'

/** Lists the objects without a row in the database. Young ones are not among them: their rows may follow. */
export function listOrphans(options: ServiceOptions, { json = false }: ListFormat = {}): Promise<string> {
  return withStores(options, (stores) =>
    withObjects(options, stores, async (areas) => {
      const rows: { area: StorageArea; name: string; bytes: number; stored_at: string }[] = []
      for (const { area, unnamed } of await unnamedIn(stores, areas)) {
        for (const name of unnamed) {
          const found = await areas[area].stat(name)
          if (found === undefined) continue
          rows.push({ area, name, bytes: found.bytes, stored_at: new Date(found.storedAt).toISOString() })
        }
      }
      if (json) return jsonText({ orphans: rows })
      if (rows.length === 0) return 'Every object has a row in the database.\n'
      return table(rows.map((row) => [row.area, row.name, `${row.bytes} bytes`, `stored ${row.stored_at}`]))
    }),
  )
}

/** Deletes the objects without a row in the database that are older than an hour. */
export function deleteOrphans(options: ServiceOptions): Promise<string> {
  return withAudit(options, { action: 'deleteOrphans' }, (stores) =>
    withObjects(options, stores, async (areas) => {
      let count = 0
      for (const { area, unnamed } of await unnamedIn(stores, areas)) {
        await areas[area].deleteAll(unnamed)
        count += unnamed.length
      }
      return `${count} objects without a row are deleted.\n`
    }),
  )
}

/**
 * Finds the objects without a row.
 * @param age Younger objects are left out, in milliseconds. @default an hour
 */
export async function unnamedIn(
  stores: Pick<Stores, 'files' | 'tasks'>,
  { uploads: objects, inputs, results }: Areas,
  age: number = ORPHAN_AGE_MS,
): Promise<readonly Orphans[]> {
  const services: OrphanServices = {
    stores,
    objects: { uploads: objects, inputs, results },
    runtime: { log: NO_LOG },
  }
  const before = systemClock.now() - age
  return Promise.all(AREAS.map((area) => findOrphans(services, area, before)))
}

const NO_LOG = { error: () => undefined, warn: () => undefined, info: () => undefined }
