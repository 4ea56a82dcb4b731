import { existsSync } from 'node:fs'
import { makeFolder } from '../drivers/folder/folders.ts'
import { openDatabase } from '../drivers/sqlite/database.ts'
import type { ServiceDatabase } from '../drivers/sqlite/service-database.ts'
import { databasePath } from '../open-services.ts'
import { UsageError } from './usage-error.ts'

/**
 * Lends the database of a folder, also while a service serves it.
 * @param options.make Whether a folder that no service has used yet is made ready. @default false
 * @throws UsageError when it is not, and no service has ever used the folder
 */
export async function withDatabase<T>(
  dataDir: string,
  use: (database: ServiceDatabase) => Promise<T>,
  { make = false }: { readonly make?: boolean } = {},
): Promise<T> {
  const path = databasePath(dataDir)
  if (make) await makeFolder(dataDir)
  else if (!existsSync(path))
    throw new UsageError(`No service has used ${dataDir} yet: choose its folder with --data-dir`)
  const database = openDatabase(path)
  try {
    return await use(database)
  } finally {
    await database.destroy()
  }
}
