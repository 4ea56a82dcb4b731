import type { Kysely } from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import type { StoreMetricsReader } from '../../ports/store-metrics.ts'
import { createSharedStores, type GivenKeys, type Stores, type StoresOptions } from '../sql/stores.ts'
import { storeMetricsOver } from '../sql/store-metrics.ts'
import { createTenantStore, SQLITE_TENANTS } from '../sql/tenant-store.ts'
import { createUsageStore } from '../sql/usage-store.ts'
import { openReader } from './database.ts'
import { DatabaseThread } from './database-thread.ts'
import { type ServiceDatabase, shareSqlite, type Tables } from './service-database.ts'
import { createStorageLedger } from './storage-ledger.ts'
import { createTaskStore } from './task-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

/** The stores over a database. @param given @default none */
export function createStores(database: ServiceDatabase, options: StoresOptions = {}, given?: GivenKeys): Stores {
  return {
    ...createSharedStores(shareSqlite(database), options, given),
    tasks: createTaskStore(database, options),
    outbox: createWebhookOutbox(database),
    ledger: createStorageLedger(database),
    storeMetrics: createStoreMetricsReader(database),
    tenants: createTenantStore(database, SQLITE_TENANTS),
    usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>()),
  }
}

/** The methods that write, by store. All others read. */
const WRITES = {
  tasks: [
    'accept',
    'begin',
    'claim',
    'renew',
    'succeed',
    'fail',
    'cancel',
    'release',
    'dropLeases',
    'expireInputs',
    'expireRequests',
    'forget',
    'retry',
  ],
  outbox: ['claim', 'record', 'release', 'dropLeases'],
  responses: ['keep', 'drop', 'expire'],
  audit: ['append', 'expire'],
  files: ['accept', 'delete', 'forget'],
  voices: ['create', 'delete'],
  keys: ['create', 'delete', 'rotate', 'recordUse', 'suspend'],
  ledger: ['enter', 'strike', 'retain'],
  secrets: ['named', 'valid', 'rotate', 'sealAll'],
  storeMetrics: [],
  tenants: ['pause', 'deleteRows', 'forget'],
  usage: ['add', 'forget'],
} as const satisfies { readonly [Name in keyof Stores]: readonly (keyof Stores[Name])[] }

/** Options of {@link openStores}. */
export interface OpenStoresOptions extends StoresOptions {
  /** Keys beside the stored ones: tenant by key. @default none */
  readonly given?: GivenKeys | undefined
  /** Receives the time of each commit, in milliseconds. */
  readonly onCommit?: (milliseconds: number) => void
}

/** The stores, and their end. */
export interface OpenedStores {
  readonly stores: Stores
  close(): Promise<void>
}

/**
 * Opens the stores. Writes run in a thread, in group commits. Reads run here: they see committed data, wait for no
 * write, and take less time than a message.
 * @throws SchemaError when the file has other tables; errors of SQLite
 */
export async function openStores(path: string, options: OpenStoresOptions = {}): Promise<OpenedStores> {
  const { given, onCommit, ...rest } = options
  const thread = await DatabaseThread.open({ path, ...rest }, onCommit)
  try {
    const reader = openReader(path)
    const stores = createStores(reader, rest, given)
    const writing = <Name extends keyof Stores>(store: Name): Stores[Name] => ({
      ...stores[store],
      ...Object.fromEntries(
        WRITES[store].map((method) => [method, (...args: unknown[]) => thread.call({ store, method, args })]),
      ),
    })
    return {
      stores: {
        tasks: writing('tasks'),
        outbox: writing('outbox'),
        responses: writing('responses'),
        audit: writing('audit'),
        files: writing('files'),
        voices: writing('voices'),
        keys: writing('keys'),
        ledger: writing('ledger'),
        secrets: writing('secrets'),
        storeMetrics: stores.storeMetrics,
        tenants: writing('tenants'),
        usage: writing('usage'),
      },
      async close() {
        // The last connection to close writes the log back into the database.
        await reader.destroy()
        await thread.close()
      },
    }
  } catch (error) {
    await thread.close()
    throw error
  }
}

/**
 * The queries of the amounts. Each reads open work or a few sums, by index. The cross join reads `jobs` first, whatever
 * the planner knows of the tables.
 */
export const AMOUNTS = {
  tasks: 'SELECT status AS name, count(*) AS amount FROM jobs CROSS JOIN tasks ON tasks.id = task_id GROUP BY status',
  webhooks: `SELECT 'pending' AS name, count(*) AS amount FROM webhooks WHERE status = 'pending'`,
  bytes: 'SELECT area AS name, bytes AS amount FROM area_bytes',
} as const

/**
 * Counts in SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function createStoreMetricsReader(
  database: Kysely<Tables>,
  now: () => number = wallClockNow,
): StoreMetricsReader {
  return storeMetricsOver(database.$pickTables<'jobs'>(), AMOUNTS, now)
}
