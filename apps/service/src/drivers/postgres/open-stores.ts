import { createSecretCipher } from '../../domain/secret-cipher.ts'
import { createAuditStore } from '../sql/audit-store.ts'
import type { Stores } from '../sqlite/stores.ts'
import { createResponseStore } from '../sql/response-store.ts'
import type { PostgresDatabase } from './database.ts'
import { createFileStore } from '../sql/file-store.ts'
import { createKeyStore } from '../sql/key-store.ts'
import { createSecretStore } from '../sql/secret-store.ts'
import { sharePostgres } from './shared-database.ts'
import { createStorageLedger } from './storage-ledger.ts'
import { createStoreMetricsReader } from './store-metrics.ts'
import { createTaskStore } from './task-store.ts'
import { SCHEMA } from './tables.ts'
import { createTenantStore, type TenantStoreParts } from '../sql/tenant-store.ts'
import { createUsageStore } from '../sql/usage-store.ts'
import { usageSlot } from './usage-slot.ts'
import { createVoiceStore } from '../sql/voice-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

/** The parts of PostgreSQL. */
export const POSTGRES_TENANTS: TenantStoreParts = {
  schema: `${SCHEMA}.`,
  more: ['keys_in_flight'],
  nextTurn: "nextval('svc_audio.turn')",
  reached: 'svc_audio.reached_in(work_class)',
}

/** Options of {@link createPostgresStores}. */
export interface PostgresStoresOptions {
  /** Keys beside the stored ones: tenant by key. @default none */
  readonly given?: ReadonlyMap<string, string> | undefined
  /** Maximum leased tasks per tenant in the cluster. @default no limit */
  readonly atOncePerTenant?: number | undefined
  /** Whether the requests of failed tasks are stored, see `TaskStore.retry`. @default true */
  readonly storeFailedRequests?: boolean | undefined
  /** Seals the secrets. @default secrets are stored in clear */
  readonly secretKey?: string | undefined
}

/** The stores over a database of a cluster. */
export function createPostgresStores(
  database: PostgresDatabase,
  { given = new Map(), secretKey, ...taskOptions }: PostgresStoresOptions = {},
): Stores {
  const shared = sharePostgres(database)
  return {
    tasks: createTaskStore(database, taskOptions),
    outbox: createWebhookOutbox(database),
    responses: createResponseStore(shared),
    audit: createAuditStore(database),
    files: createFileStore(shared),
    voices: createVoiceStore(shared),
    keys: createKeyStore(shared, given),
    ledger: createStorageLedger(database),
    secrets: createSecretStore(database, secretKey === undefined ? undefined : createSecretCipher(secretKey)),
    storeMetrics: createStoreMetricsReader(database),
    tenants: createTenantStore(database, POSTGRES_TENANTS),
    usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>(), usageSlot()),
  }
}
