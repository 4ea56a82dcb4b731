import type { ResponseStore } from '../../ports/response-store.ts'
import type { AuditStore } from '../../ports/audit-store.ts'
import type { FileStore } from '../../ports/file-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import type { StoreMetricsReader } from '../../ports/store-metrics.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import type { TenantStore } from '../../ports/tenant-store.ts'
import type { UsageStore } from '../../ports/usage-store.ts'
import type { VoiceStore } from '../../ports/voice-store.ts'
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts'
import { createSecretCipher } from '../../domain/secret-cipher.ts'
import { createResponseStore } from '../sql/response-store.ts'
import { createAuditStore } from '../sql/audit-store.ts'
import { createFileStore } from '../sql/file-store.ts'
import { createKeyStore } from '../sql/key-store.ts'
import { createSecretStore, type SecretStore } from '../sql/secret-store.ts'
import type { ServiceDatabase } from './service-database.ts'
import { shareSqlite } from './shared-database.ts'
import { createStorageLedger } from './storage-ledger.ts'
import { createStoreMetricsReader } from './store-metrics.ts'
import { createTaskStore, type TaskStoreOptions } from './task-store.ts'
import { createTenantStore, SQLITE_TENANTS } from '../sql/tenant-store.ts'
import { createUsageStore } from '../sql/usage-store.ts'
import { createVoiceStore } from '../sql/voice-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

/** Everything that the database stores. */
export interface Stores {
  readonly tasks: TaskStore
  readonly outbox: WebhookOutbox
  readonly responses: ResponseStore
  readonly audit: AuditStore
  readonly files: FileStore
  readonly voices: VoiceStore
  readonly keys: KeyStore
  readonly ledger: StorageLedger
  readonly secrets: SecretStore
  readonly storeMetrics: StoreMetricsReader
  readonly tenants: TenantStore
  readonly usage: UsageStore
}

/** Options of {@link createStores}. They may be sent to another thread. */
export type StoresOptions = Pick<TaskStoreOptions, 'atOncePerTenant' | 'storeFailedRequests'> & {
  /** Seals the secrets. @default secrets are stored in clear */
  readonly secretKey?: string | undefined
}

/**
 * The stores over a database.
 * @param given Keys beside the stored ones: tenant by key. @default none
 */
export function createStores(
  database: ServiceDatabase,
  { secretKey, ...taskOptions }: StoresOptions = {},
  given: ReadonlyMap<string, string> = new Map(),
): Stores {
  const shared = shareSqlite(database)
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
    tenants: createTenantStore(database, SQLITE_TENANTS),
    usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>()),
  }
}
