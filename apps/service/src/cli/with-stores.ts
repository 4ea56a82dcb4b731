import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nearHint } from '#options'
import { makeFolder, makePrivate, readSecretKey } from '../drivers/folder/folders.ts'
import { createFolderObjectStore } from '../drivers/folder/object-store.ts'
import { openPostgres, type PostgresDatabase } from '../drivers/postgres/database.ts'
import { checkSchema } from '../drivers/postgres/migrate.ts'
import { createPostgresStores } from '../drivers/postgres/stores.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import { checkForCommand } from '../drivers/sqlite/data-folder.ts'
import { openDatabase } from '../drivers/sqlite/database.ts'
import type { ServiceDatabase } from '../drivers/sqlite/service-database.ts'
import { createStores } from '../drivers/sqlite/stores.ts'
import type { StorageReserve } from '../ports/disk.ts'
import type { ObjectStore, TenantObjects } from '../ports/object-store.ts'
import type { StorageArea } from '../ports/storage-ledger.ts'
import type { ServiceOptions } from '../service-options.ts'
import { AREA_FOLDERS, clusterOf, databasePath, folderContents } from '../storage.ts'
import { DRAIN } from '../use-cases/keys.ts'
import { createTenantObjects } from '../use-cases/objects.ts'
import { UsageError } from './errors.ts'

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

/** The stores of objects, by area. */
export type Areas = Readonly<Record<StorageArea, TenantObjects>>

/** A command stores no object, and frees space. */
const NO_RESERVE: StorageReserve = {
  whole: true,
  requireWhole: () => Promise.resolve(),
  use: (work) => work(),
  refill: () => Promise.resolve(),
}

/** The three areas, in one order. */
export const AREAS: readonly StorageArea[] = ['uploads', 'inputs', 'results']

/**
 * Opens the objects of a folder or of a cluster for one action, also while a service uses them.
 * @param stores The open stores of the same folder or cluster.
 * @throws UsageError when a cluster has no bucket
 */
export async function withObjects<T>(
  options: ServiceOptions,
  { ledger }: Pick<Stores, 'ledger'>,
  use: (areas: Areas) => Promise<T>,
): Promise<T> {
  const { open, close } = await objectStores(options)
  try {
    const area = async (name: StorageArea): Promise<TenantObjects> =>
      createTenantObjects({ area: name, store: await open(name), ledger, reserve: NO_RESERVE })
    return await use({ uploads: await area('uploads'), inputs: await area('inputs'), results: await area('results') })
  } finally {
    close()
  }
}

async function objectStores(
  options: ServiceOptions,
): Promise<{ readonly open: (area: StorageArea) => Promise<ObjectStore>; readonly close: () => void }> {
  const { dataDir } = options
  if (options.databaseUrl === undefined) {
    const open = (area: StorageArea): Promise<ObjectStore> =>
      createFolderObjectStore(join(dataDir, AREA_FOLDERS[area]), { beside: true })
    return { open, close: () => undefined }
  }
  const cluster = clusterOf({ ...options, role: 'all' })
  if (cluster === undefined) throw new UsageError('DATABASE_URL needs S3_BUCKET: the objects of the cluster')
  const [{ createS3Client }, { createS3ObjectStore }, { createScratchSpace }] = await Promise.all([
    import('../drivers/s3/client.ts'),
    import('../drivers/s3/object-store.ts'),
    import('../drivers/folder/folders.ts'),
  ])
  const client = await createS3Client(cluster.s3)
  const scratch = createScratchSpace(dataDir)
  const open = (area: StorageArea): Promise<ObjectStore> =>
    createS3ObjectStore({ client, bucket: cluster.s3.bucket, prefix: `${area}/`, scratch })
  return { open, close: () => client.destroy() }
}

/** Every day, for a query of usage. */
export const ALWAYS = { from: '0000-01-01', to: '9999-12-31' } as const

/** What tells the tenants: stores, and keys of the settings. */
export type TenantOptions = StoreOptions & Pick<ServiceOptions, 'apiKeys'>

/** @throws UsageError naming an unknown tenant, with a near name */
export async function requireTenant(
  { tenants }: Pick<Stores, 'tenants'>,
  { apiKeys = new Map() }: TenantOptions,
  tenant: string,
): Promise<void> {
  const given = [...apiKeys.values()]
  if (tenant !== DRAIN && (given.includes(tenant) || (await tenants.has(tenant)))) return
  // The audit log does not count.
  const names = new Set([...given, ...(await tenants.names())])
  const known = [...names].filter((name) => name !== DRAIN).toSorted()
  throw new UsageError(`There is no tenant ${tenant}${nearHint(tenant, known)} (tenants list shows them)`)
}

/** Acts on the stores of a known tenant. @throws UsageError for an unknown one; what `use` throws */
export function withTenant<T>(options: TenantOptions, tenant: string, use: (stores: Stores) => Promise<T>): Promise<T> {
  return withStores(options, async (stores) => {
    await requireTenant(stores, options, tenant)
    return use(stores)
  })
}
