import { join } from 'node:path'
import { ClusterOptionsError } from './domain/errors.ts'
import type { S3Options } from './drivers/s3/client.ts'
import type { FolderContents } from './drivers/sqlite/data-folder.ts'
import type { Stores } from './drivers/sql/stores.ts'
import type { ObjectStore } from './ports/object-store.ts'
import type { StorageArea } from './ports/storage-ledger.ts'
import type { ServiceOptions } from './service-options.ts'
import type { Services } from './services.ts'

/** The drivers of everything that a service stores, and shares with other processes of a cluster. */
export interface Storage extends Pick<
  Services['stores'],
  | 'dispatch'
  | 'keysInFlight'
  | 'leaderLock'
  | 'requestCounter'
  | 'shared'
  | 'probe'
  | 'time'
  | 'connections'
  | 'commitTimes'
> {
  readonly stores: Stores
  readonly openObjects: (area: StorageArea) => Promise<ObjectStore>
  readonly close: () => Promise<void>
}

/** Path of the database: everything that the service stores, except objects. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'service.sqlite')
}

/** Folder of the objects of each area. */
export const AREA_FOLDERS: Readonly<Record<StorageArea, string>> = {
  results: 'results',
  inputs: 'inputs',
  uploads: 'files',
}

/** The files of one machine, for a check before they are opened. */
export function folderContents({ dataDir, secretKey }: Pick<ServiceOptions, 'dataDir' | 'secretKey'>): FolderContents {
  return {
    dataDir,
    database: databasePath(dataDir),
    areas: Object.values(AREA_FOLDERS).map((area) => join(dataDir, area)),
    hasSecretKey: secretKey !== undefined,
  }
}

/** Where a cluster stores. */
export interface ClusterOptions {
  readonly databaseUrl: string
  /** The address without a pooler. */
  readonly directUrl: string
  /** Whether a pooler is between this process and the database. */
  readonly isPooled: boolean
  readonly databaseConnections: number | undefined
  readonly s3: S3Options
}

/**
 * Returns where a cluster stores, or `undefined` for one machine.
 * @throws ClusterOptionsError naming the option that is missing
 */
export function clusterOf(options: ServiceOptions): ClusterOptions | undefined {
  const { databaseUrl, databaseUrlDirect, databaseConnections, role = 'all', publicUrl, secretKey } = options
  const { s3Bucket, s3Endpoint, s3Region } = options
  if (databaseUrl === undefined) {
    if (s3Bucket !== undefined) throw new ClusterOptionsError('S3_BUCKET needs DATABASE_URL: a cluster needs both')
    if (role !== 'all') throw new ClusterOptionsError(`--role ${role} needs DATABASE_URL and S3_BUCKET`)
    return undefined
  }
  if (s3Bucket === undefined) throw new ClusterOptionsError('DATABASE_URL needs S3_BUCKET: a cluster needs both')
  if (role !== 'all' && publicUrl === undefined) {
    throw new ClusterOptionsError(`--role ${role} needs --public-url: links to results name it`)
  }
  if (secretKey === undefined) {
    throw new ClusterOptionsError(
      'DATABASE_URL needs SVC_AUDIO_SECRET_KEY: it encrypts the secrets of webhooks and links. Give every process the same',
    )
  }
  return {
    databaseUrl,
    directUrl: databaseUrlDirect ?? databaseUrl,
    isPooled: databaseUrlDirect !== undefined,
    databaseConnections,
    s3: { bucket: s3Bucket, endpoint: s3Endpoint, region: s3Region },
  }
}
