import { join } from 'node:path'
import { AREA_FOLDERS, clusterOf } from '../storage.ts'
import { createFolderObjectStore } from '../drivers/folder/object-store.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import type { ObjectStore, TenantObjects } from '../ports/object-store.ts'
import type { StorageArea } from '../ports/storage-ledger.ts'
import type { StorageReserve } from '../ports/disk.ts'
import type { ServiceOptions } from '../service-options.ts'
import { createTenantObjects } from '../use-cases/objects.ts'
import { UsageError } from './usage-error.ts'

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
