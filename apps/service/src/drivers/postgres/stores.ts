import { createSharedStores, type GivenKeys, type Stores, type StoresOptions } from '../sql/stores.ts'
import { createTenantStore, type TenantStoreParts } from '../sql/tenant-store.ts'
import { createUsageStore } from '../sql/usage-store.ts'
import { type PostgresDatabase, SCHEMA, sharePostgres } from './database.ts'
import { usageSlot } from './end-task.ts'
import { createStorageLedger } from './storage-ledger.ts'
import { createStoreMetricsReader } from './store-metrics.ts'
import { createTaskStore, type DatabaseContact } from './task-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

/** The parts of PostgreSQL. */
export const POSTGRES_TENANTS: TenantStoreParts = {
  schema: `${SCHEMA}.`,
  more: ['keys_in_flight'],
  nextTurn: "nextval('svc_audio.turn')",
  reached: 'svc_audio.reached_in(work_class)',
}

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
    tenants: createTenantStore(database, POSTGRES_TENANTS),
    usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>(), usageSlot()),
  }
}
