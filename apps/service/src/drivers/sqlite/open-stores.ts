import { openReader } from './database.ts'
import { DatabaseThread } from './database-thread.ts'
import { createStores, type Stores, type StoresOptions } from './stores.ts'

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
  readonly given?: ReadonlyMap<string, string> | undefined
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
