import { createSharedStores, type GivenKeys, type Stores, type StoresOptions } from '../sql/stores.ts'
import { createUsageStore } from '../sql/usage-store.ts'
import { type PostgresDatabase, sharePostgres } from './database.ts'
import { usageSlot } from './end-task.ts'
import { createStorageLedger } from './storage-ledger.ts'
import { createStoreMetricsReader } from './store-metrics.ts'
import { createTaskStore, type DatabaseContact } from './task-store.ts'
import { createPostgresTenants } from './tenant-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

/**
 * The stores over a database of a cluster.
 * @param options.contact Notes the responses of the database to a process with workers. @default it is always steady
 * @param given @default none
 */
export function createPostgresStores(
  database: PostgresDatabase,
  { contact, ...options }: StoresOptions & { readonly contact?: DatabaseContact } = {},
  given?: GivenKeys,
): Stores {
  return {
    ...createSharedStores(sharePostgres(database), options, given),
    tasks: createTaskStore(database, { ...options, contact }),
    outbox: createWebhookOutbox(database),
    ledger: createStorageLedger(database),
    storeMetrics: createStoreMetricsReader(database),
    tenants: createPostgresTenants(database),
    usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>(), usageSlot()),
  }
}
