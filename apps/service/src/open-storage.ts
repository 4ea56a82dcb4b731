import { join } from 'node:path'
import { CommitTimes } from './domain/commit-times.ts'
import { createFolderObjectStore } from './drivers/folder/object-store.ts'
import { createDispatch } from './drivers/memory/dispatch.ts'
import { openStores } from './drivers/sqlite/open-stores.ts'
import type { Stores } from './drivers/sqlite/stores.ts'
import type { Dispatch } from './ports/dispatch.ts'
import { ALONE, type Exclusive } from './ports/exclusive.ts'
import type { KeysInFlight } from './ports/idempotency.ts'
import type { ObjectStore } from './ports/object-store.ts'
import type { RequestCounter } from './ports/request-counter.ts'
import type { StorageArea } from './ports/storage-ledger.ts'
import type { ServiceOptions } from './service-options.ts'
import { InFlightKeys } from './use-cases/idempotency/in-flight.ts'

/** The drivers of everything that a service stores and shares. */
export interface Storage {
  readonly stores: Stores
  readonly dispatch: Dispatch
  readonly keysInFlight: KeysInFlight
  readonly exclusive: Exclusive
  /** Counts the requests of a cluster. */
  readonly requestCounter?: RequestCounter
  /** The commits of this process's database. @default none are counted */
  readonly commitTimes?: CommitTimes
  /** Whether other processes use the same stores. */
  readonly shared: boolean
  openObjects(area: StorageArea): Promise<ObjectStore>
  close(): Promise<void>
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

/** Opens the storage of one machine: SQLite, a folder and this process. */
export async function openMachine({
  dataDir,
  apiKeys,
  tasksAtOncePerTenant,
  secretKey,
}: Pick<ServiceOptions, 'dataDir' | 'apiKeys' | 'tasksAtOncePerTenant' | 'secretKey'>): Promise<Storage> {
  const commitTimes = new CommitTimes()
  const onCommit = (milliseconds: number): void => commitTimes.note(milliseconds)
  const options = { onCommit, given: apiKeys, atOncePerTenant: tasksAtOncePerTenant, secretKey }
  const opened = await openStores(databasePath(dataDir), options)
  return {
    stores: opened.stores,
    dispatch: createDispatch(),
    keysInFlight: new InFlightKeys(),
    exclusive: ALONE,
    shared: false,
    commitTimes,
    openObjects: (area) => createFolderObjectStore(join(dataDir, AREA_FOLDERS[area])),
    close: () => opened.close(),
  }
}
