import { existsSync } from 'node:fs'
import { makeFolder, makePrivate } from '../drivers/folder/folders.ts'
import { openDatabase } from '../drivers/sqlite/database.ts'
import type { ServiceDatabase } from '../drivers/sqlite/service-database.ts'
import { databasePath } from '../storage.ts'
import { UsageError } from './usage-error.ts'

/**
 * Opens the database of a folder for one action, also while a service serves the folder.
 * @param options.make Whether to prepare a folder that no service has used yet. @default false
 * @throws UsageError when no service has used the folder and `make` is false
 */
export async function withDatabase<T>(
  dataDir: string,
  use: (database: ServiceDatabase) => Promise<T>,
  { make = false }: { readonly make?: boolean } = {},
): Promise<T> {
  const path = databasePath(dataDir)
  if (make) {
    await makeFolder(dataDir)
    await makePrivate(dataDir)
  }
  if (!make && !existsSync(path))
    throw new UsageError(`No service has used ${dataDir} yet. Choose its folder with --data-dir`)
  const database = openDatabase(path)
  try {
    return await use(database)
  } finally {
    await database.destroy()
  }
}
