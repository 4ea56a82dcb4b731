import { rm } from 'node:fs/promises'
import { isFolder, secretKeyPath } from '../drivers/folder/folders.ts'
import { openDatabase, openWriter } from '../drivers/sqlite/database.ts'
import { lockFolder } from '../drivers/sqlite/data-folder.ts'
import { raiseDatabaseMark, readFolderMark, writeFolderMark } from '../drivers/sqlite/folder-mark.ts'
import { createAuditStore } from '../drivers/sql/audit-store.ts'
import { createStores } from '../drivers/sqlite/stores.ts'
import { databasePath } from '../storage.ts'
import type { ServiceOptions } from '../service-options.ts'
import { audited, type CommandAct } from './audited.ts'
import { unnamedIn } from './orphans.ts'
import { UsageError } from './usage-error.ts'
import { AREAS, withObjects } from './with-objects.ts'

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
