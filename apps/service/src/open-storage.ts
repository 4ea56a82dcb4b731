import { basename, join } from 'node:path'
import { wallClockNow } from './domain/clock.ts'
import { CallTimes } from './domain/usage.ts'
import { makeFolder, makePrivate, readSecretKey } from './drivers/folder/folders.ts'
import { createFolderObjectStore } from './drivers/folder/object-store.ts'
import { createStorageHealth } from './drivers/folder/storage-health.ts'
import { openStorageReserve } from './drivers/folder/storage-reserve.ts'
import { checkFolderContents, findLostAreas, lockFolder, type LostArea } from './drivers/sqlite/data-folder.ts'
import { openStores } from './drivers/sqlite/stores.ts'
import { capacityOf } from './open-engines.ts'
import type { ScratchSpace, StorageHealth, StorageReserve } from './ports/disk.ts'
import { createDispatch, createOwnLock } from './ports/processes.ts'
import type { ServiceOptions } from './service-options.ts'
import type { Log } from './services.ts'
import { InFlightKeys } from './use-cases/idempotency.ts'

import { AREA_FOLDERS, clusterOf, databasePath, folderContents, type Storage } from './storage.ts'

/** Machines of a cluster that one tenant can fill by default. */
const TENANT_MACHINES = 8

/** What the storage of a service needs. */
export interface StorageSurroundings {
  readonly scratch: ScratchSpace
  readonly log: Log
  readonly reserve: StorageReserve
}

/**
 * Opens the storage of one machine or of a cluster. The drivers of a cluster are loaded only for one.
 * @throws What the storage throws
 */
export async function openStorage(
  options: ServiceOptions,
  { scratch, log, reserve }: StorageSurroundings,
): Promise<Storage> {
  const cluster = clusterOf(options)
  const { tasks } = capacityOf()
  const { apiKeys } = options
  const storeFailedRequests = options.failedRequestHours !== 0
  if (cluster === undefined) {
    const secretKey = options.secretKey ?? (await reserve.use(() => readSecretKey(options.dataDir)))
    const { dataDir, tasksAtOncePerTenant = tasks } = options
    return reserve.use(() =>
      openMachine(dataDir, { given: apiKeys, atOncePerTenant: tasksAtOncePerTenant, storeFailedRequests, secretKey }),
    )
  }
  const { openCluster } = await import('./open-cluster.ts')
  const { tasksAtOncePerTenant = TENANT_MACHINES * tasks, secretKey } = options
  return openCluster(cluster, { apiKeys, tasksAtOncePerTenant, storeFailedRequests, secretKey, scratch, log })
}

/** Opens the storage of one machine: SQLite, a folder and this process. */
async function openMachine(dataDir: string, options: Parameters<typeof openStores>[1]): Promise<Storage> {
  const commitTimes = new CallTimes()
  const onCommit = (milliseconds: number): void => commitTimes.note(milliseconds)
  const opened = await openStores(databasePath(dataDir), { ...options, onCommit })
  return {
    stores: opened.stores,
    dispatch: createDispatch(),
    keysInFlight: new InFlightKeys(),
    leaderLock: createOwnLock(wallClockNow),
    shared: false,
    commitTimes,
    // The disk reports its own state at every write.
    probe: async () => undefined,
    time: async () => wallClockNow(),
    openObjects: (area) => createFolderObjectStore(join(dataDir, AREA_FOLDERS[area])),
    close: () => opened.close(),
  }
}

/** The data folder of a service. */
export interface OpenFolder {
  /** Folder of uploads in flight. */
  readonly uploadFolder: string
  readonly reserve: StorageReserve
  /** Folders of objects that are empty although rows name objects in them. */
  readonly lost: readonly LostArea[]
}

/** Makes the data folder, private to this user, locks it, and checks it. @throws FolderInUseError; LostRowsError */
export async function openFolder(
  options: ServiceOptions,
  onEnd: (cleanup: () => Promise<void> | void) => void,
): Promise<OpenFolder> {
  const { dataDir } = options
  const uploadFolder = join(dataDir, 'uploads')
  await makeFolder(uploadFolder)
  await makePrivate(dataDir)
  const reserve = await openStorageReserve(dataDir)
  onEnd(await reserve.use(async () => lockFolder(dataDir)))
  await reserve.refill()
  if (clusterOf(options) !== undefined) return { uploadFolder, reserve, lost: [] }
  const contents = folderContents(options)
  await reserve.use(async () => checkFolderContents(contents))
  return { uploadFolder, reserve, lost: findLostAreas(contents) }
}

/** Watches the disk and the folders of stored data. */
export function watchFolders(
  options: ServiceOptions,
  { uploadFolder, log, shared }: { readonly uploadFolder: string; readonly log: Log; readonly shared: boolean },
): StorageHealth {
  return createStorageHealth(options.dataDir, {
    folders: shared ? [uploadFolder] : [uploadFolder, ...folderContents(options).areas],
    onMade: (folder) =>
      log.error({ folder: basename(folder) }, 'a folder of stored data was missing and is made again'),
  })
}
