import { rm } from 'node:fs/promises'
import { systemClock } from '../domain/clock.ts'
import { isFolder, secretKeyPath } from '../drivers/folder/folders.ts'
import { createAuditStore } from '../drivers/sql/audit-store.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import { lockFolder } from '../drivers/sqlite/data-folder.ts'
import { openDatabase, openWriter } from '../drivers/sqlite/database.ts'
import { raiseDatabaseMark, readFolderMark, writeFolderMark } from '../drivers/sqlite/folder-mark.ts'
import { createStores } from '../drivers/sqlite/stores.ts'
import type { StorageArea } from '../ports/storage-ledger.ts'
import type { ServiceOptions } from '../service-options.ts'
import { databasePath } from '../storage.ts'
import { findOrphans, ORPHAN_AGE_MS, type Orphans, type OrphanServices } from '../use-cases/orphans.ts'
import { audited, type CommandAct, withAudit } from './audited.ts'
import { UsageError } from './errors.ts'
import { jsonText, type ListFormat, table } from './list-format.ts'
import { type Areas, AREAS, withObjects, withStores } from './with-stores.ts'

/**
 * Declares the database of a folder to be the right one, also if it has lost rows, or makes a new one. Deletes nothing.
 * @returns The number of objects without a row, as text to print.
 * @throws UsageError for a cluster; FolderInUseError while a service runs on the folder
 */
export function acceptDatabase(options: ServiceOptions): Promise<string> {
  return whileLocked(options, 'acceptDatabase', async () => {
    raiseAbove(options.dataDir)
    const database = openDatabase(databasePath(options.dataDir))
    try {
      const stores = createStores(database)
      const found = await withObjects(options, stores, (areas) => unnamedIn(stores, areas, 0))
      const counts = AREAS.flatMap((area) => {
        const count = found.find((orphans) => orphans.area === area)?.unnamed.length ?? 0
        return count === 0 ? [] : [`${count} in ${area}`]
      })
      const rows = counts.length === 0 ? 'Every object has a row.' : `Objects without a row: ${counts.join(', ')}.`
      return `The next start uses this database. ${rows} Nothing was deleted: see orphans list.\n`
    } finally {
      await database.destroy()
    }
  })
}

/** Gives the database a mark above that of the folder. */
function raiseAbove(dataDir: string): void {
  const connection = openWriter(databasePath(dataDir))
  try {
    connection.exec('BEGIN IMMEDIATE')
    const { id, mark, at } = raiseDatabaseMark(connection, Date.now())
    const next = { id, at, mark: Math.max(mark, (readFolderMark(dataDir)?.mark ?? 0) + 1) }
    connection.prepare('UPDATE folder_mark SET mark = ?').run(next.mark)
    connection.exec('COMMIT')
    writeFolderMark(dataDir, next)
  } finally {
    connection.close()
  }
}

/**
 * Deletes the secrets of webhooks and links, which a lost `secret.key` had sealed. The next start makes new ones.
 * @throws UsageError for a cluster; FolderInUseError while a service runs on the folder
 */
export function resetSecrets(options: ServiceOptions): Promise<string> {
  return whileLocked(options, 'resetSecrets', async () => {
    const database = openDatabase(databasePath(options.dataDir))
    try {
      await database.deleteFrom('secrets').execute()
    } finally {
      await database.destroy()
    }
    await rm(secretKeyPath(options.dataDir), { force: true })
    return 'Links to results are void. The next start makes new secrets: give each tenant its webhook-secret.\n'
  })
}

/** Acts on the folder of a stopped service, with records in its audit log. */
async function whileLocked(
  { dataDir, databaseUrl }: ServiceOptions,
  action: CommandAct['action'],
  act: () => Promise<string>,
): Promise<string> {
  if (databaseUrl !== undefined) throw new UsageError('This command works on a folder: unset DATABASE_URL')
  if (!(await isFolder(dataDir))) throw new UsageError(`${dataDir} is no folder. Choose the folder with --data-dir`)
  const unlock = lockFolder(dataDir)
  try {
    const database = openDatabase(databasePath(dataDir))
    try {
      return await audited(createAuditStore(database), { action }, act)
    } finally {
      await database.destroy()
    }
  } finally {
    unlock()
  }
}

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
