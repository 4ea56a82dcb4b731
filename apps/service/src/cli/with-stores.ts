import { openPostgres, type PostgresDatabase } from '../drivers/postgres/database.ts'
import { checkSchema } from '../drivers/postgres/migrate.ts'
import { createPostgresStores } from '../drivers/postgres/stores.ts'
import { checkForCommand } from '../drivers/sqlite/data-folder.ts'
import { readSecretKey } from '../drivers/folder/folders.ts'
import type { ServiceDatabase } from '../drivers/sqlite/service-database.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import { createStores } from '../drivers/sqlite/stores.ts'
import { folderContents } from '../storage.ts'
import type { ServiceOptions } from '../service-options.ts'
import { withDatabase } from './with-database.ts'

/** The options that say where a command finds the stores. */
export type StoreOptions = Pick<ServiceOptions, 'dataDir' | 'databaseUrl' | 'databaseUrlDirect' | 'secretKey'>

/**
 * Opens the stores of a folder or of a cluster for one action, also while a service uses them.
 * @param options.make Whether to prepare a folder that no service has used yet. @default false
 * @throws UsageError when no service has used the folder and `make` is false; LostRowsError; MissingSecretKeyError;
 * SchemaError; DatabaseUnavailableError
 */
export async function withStores<T>(
  { dataDir, databaseUrl, databaseUrlDirect, secretKey }: StoreOptions,
  use: (stores: Stores) => Promise<T>,
  options: { readonly make?: boolean } = {},
): Promise<T> {
  if (databaseUrl === undefined) {
    checkForCommand(folderContents({ dataDir, ...(secretKey === undefined ? {} : { secretKey }) }))
    const withKey = async (database: ServiceDatabase): Promise<T> =>
      use(createStores(database, { secretKey: secretKey ?? (await readSecretKey(dataDir)) }))
    return withDatabase(dataDir, withKey, options)
  }
  return withPostgres(databaseUrlDirect ?? databaseUrl, async (database) => {
    await checkSchema(database)
    return use(createPostgresStores(database, { secretKey }))
  })
}

/** Opens the database of a cluster for one action. Does not check its tables. */
export async function withPostgres<T>(url: string, use: (database: PostgresDatabase) => Promise<T>): Promise<T> {
  // The query in work reports the end of its connection too.
  const database = await openPostgres({ url, connections: 4, patient: true, onError: () => {} })
  try {
    return await use(database)
  } finally {
    await database.destroy()
  }
}
