import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { createSecretCipher, WrongSecretKeyError } from '../../domain/secret-cipher.ts'
import { createScratchSpace, readSecretKey } from '../../drivers/folder/folders.ts'
import { createFolderObjectStore } from '../../drivers/folder/object-store.ts'
import type { PostgresDatabase } from '../../drivers/postgres/database.ts'
import { checkSchema, migrate } from '../../drivers/postgres/migrate.ts'
import { createS3Client } from '../../drivers/s3/client.ts'
import { createS3ObjectStore } from '../../drivers/s3/object-store.ts'
import { createAuditStore } from '../../drivers/sql/audit-store.ts'
import { lockFolder } from '../../drivers/sqlite/data-folder.ts'
import { openDatabase } from '../../drivers/sqlite/database.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import type { StorageArea } from '../../ports/storage-ledger.ts'
import type { ServiceOptions } from '../../service-options.ts'
import { AREA_FOLDERS, clusterOf, type ClusterOptions, databasePath } from '../../storage.ts'
import { audited, operatorRecord } from '../audited.ts'
import { UsageError } from '../errors.ts'
import { withPostgres } from '../with-stores.ts'
import { copyRows, IMPORTED_TABLES, type Row } from './rows.ts'

/**
 * The secrets of a folder are sealed with its own key, or with that of the cluster if its service had the same. The
 * processes of the cluster seal them at their start.
 */
async function unsealing({ dataDir, secretKey = '' }: ServiceOptions): Promise<(row: Row) => Row> {
  const given = createSecretCipher(secretKey)
  const own = createSecretCipher(await readSecretKey(dataDir))
  const unseal = (name: string, value: string): string => {
    try {
      return own.unseal(name, value)
    } catch (error) {
      if (!(error instanceof WrongSecretKeyError)) throw error
      return given.unseal(name, value)
    }
  }
  return (row) => ({ ...row, value: unseal(String(row['name']), String(row['value'])) })
}

const AREAS: readonly StorageArea[] = ['uploads', 'inputs', 'results']

/**
 * Copies everything of a folder into a cluster: objects first, then rows, so that no row refers to a missing object.
 * The audit log stays in the folder: it is the record of that machine.
 * Changes nothing in the folder. An interrupted import continues when it is repeated.
 * @returns Counts, as text to print.
 * @throws UsageError without DATABASE_URL and S3_BUCKET, without a folder, or when the cluster has other data;
 * FolderInUseError while a service runs on the folder
 */
export async function importFolder(options: ServiceOptions): Promise<string> {
  const cluster = clusterOf({ ...options, role: 'all' })
  if (cluster === undefined) throw new UsageError('import needs DATABASE_URL and S3_BUCKET: the cluster to import into')
  const { dataDir } = options
  const path = databasePath(dataDir)
  if (!existsSync(path)) throw new UsageError(`No service has used ${dataDir}. Choose the folder with --data-dir`)
  const unlock = lockFolder(dataDir)
  try {
    await openDatabase(path).destroy()
    return await withPostgres(cluster.directUrl, async (database) => {
      await checkSchema(database)
      return audited(createAuditStore(database), { action: 'import' }, async () => {
        const lines = [...(await copyAreas(dataDir, cluster.s3)), ...(await copyTables(options, database))]
        return `${lines.join('\n')}\nEvery object and row has an identical copy in the cluster.\n`
      })
    })
  } finally {
    unlock()
  }
}

async function copyAreas(dataDir: string, s3: ClusterOptions['s3']): Promise<string[]> {
  const lines: string[] = []
  const client = await createS3Client(s3)
  const scratch = createScratchSpace(dataDir)
  try {
    for (const area of AREAS) {
      const source = await createFolderObjectStore(join(dataDir, AREA_FOLDERS[area]))
      const target = await createS3ObjectStore({ client, bucket: s3.bucket, prefix: `${area}/`, scratch })
      const { count, bytes, before } = await copyObjects(source, target)
      lines.push(`${area}: ${count} objects, ${bytes} bytes, ${before} of them from an earlier import`)
    }
  } finally {
    client.destroy()
  }
  return lines
}

async function copyTables(options: ServiceOptions, target: PostgresDatabase): Promise<string[]> {
  const lines: string[] = []
  const changes: Readonly<Record<string, (row: Row) => Row>> = { secrets: await unsealing(options) }
  const source = new DatabaseSync(databasePath(options.dataDir), { readOnly: true })
  try {
    for (const table of IMPORTED_TABLES) {
      const rows = await copyRows(source, { target, table, change: changes[table.name] })
      lines.push(`${table.name}: ${rows} rows`)
    }
  } finally {
    source.close()
  }
  return lines
}

/**
 * Makes or upgrades the tables of the database of a cluster, also beside running services.
 * @throws UsageError without DATABASE_URL
 */
export async function migrateDatabase({
  databaseUrl,
  databaseUrlDirect,
}: Pick<ServiceOptions, 'databaseUrl' | 'databaseUrlDirect'>): Promise<string> {
  if (databaseUrl === undefined) {
    throw new UsageError('migrate needs DATABASE_URL. A folder upgrades itself when a service starts')
  }
  return withPostgres(databaseUrlDirect ?? databaseUrl, async (database) => {
    const { found, wanted } = await migrate(database)
    // Its own table may be among the new ones, so the log has no record of the beginning.
    await createAuditStore(database).append([operatorRecord('migrate', 'done')])
    if (found >= wanted) return `The database is up to date: ${found} steps.\n`
    return `The database has all ${wanted} steps now, ${wanted - found} of them new.\n`
  })
}

/** What {@link copyObjects} has found and done. */
export interface CopiedObjects {
  readonly count: number
  readonly bytes: number
  /** Objects that an earlier import has stored. */
  readonly before: number
}

/**
 * Copies the objects that the target does not have yet, and compares the SHA-256 of every object with that of its copy,
 * read back from the target.
 * @throws UsageError when a copy differs
 */
export async function copyObjects(source: ObjectStore, target: ObjectStore): Promise<CopiedObjects> {
  let count = 0
  let bytes = 0
  let before = 0
  for await (const { name } of source.list()) {
    const wanted = await hashOf(source, name)
    if (wanted === undefined) continue
    const known = await target.stat(name)
    if (known !== undefined && (await hashOf(target, name))?.hash === wanted.hash) before += 1
    else await copy(source, target, { name, hash: wanted.hash })
    count += 1
    bytes += wanted.bytes
  }
  return { count, bytes, before }
}

async function copy(
  source: ObjectStore,
  target: ObjectStore,
  { name, hash }: { readonly name: string; readonly hash: string },
): Promise<void> {
  const object = await source.open(name)
  if (object === undefined) throw new UsageError(`The object ${name} was deleted during the import: repeat it`)
  await target.put(name, object.stream)
  if ((await hashOf(target, name))?.hash === hash) return
  await target.delete(name)
  throw new UsageError(`The copy of the object ${name} differs: repeat the import`)
}

async function hashOf(
  store: ObjectStore,
  name: string,
): Promise<{ readonly hash: string; readonly bytes: number } | undefined> {
  const object = await store.open(name)
  if (object === undefined) return undefined
  const hash = createHash('sha256')
  await pipeline(object.stream, hash)
  return { hash: hash.digest('hex'), bytes: object.bytes }
}
