import { createSecretCipher } from '../../domain/secret-cipher.ts'
import type { AuditStore } from '../../ports/audit-store.ts'
import type { FileStore } from '../../ports/file-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import type { ResponseStore } from '../../ports/response-store.ts'
import type { StorageLedger } from '../../ports/storage-ledger.ts'
import type { StoreMetricsReader } from '../../ports/store-metrics.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import type { TenantStore } from '../../ports/tenant-store.ts'
import type { UsageStore } from '../../ports/usage-store.ts'
import type { VoiceStore } from '../../ports/voice-store.ts'
import type { WebhookOutbox } from '../../ports/webhook-outbox.ts'
import { createAuditStore } from './audit-store.ts'
import { createFileStore } from './file-store.ts'
import { createKeyStore } from './key-store.ts'
import { createResponseStore } from './response-store.ts'
import { createSecretStore, type SecretStore } from './secret-store.ts'
import type { SharedDatabase } from './shared-database.ts'
import { createVoiceStore } from './voice-store.ts'

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

/** Options of the stores. They may be sent to another thread. */
export interface StoresOptions {
  /** Maximum leased tasks per tenant, in a cluster of all processes. @default no limit */
  readonly atOncePerTenant?: number | undefined
  /** Whether the requests of failed tasks are stored, see {@link TaskStore.retry}. @default true */
  readonly storeFailedRequests?: boolean | undefined
  /** Seals the secrets. @default secrets are stored in clear */
  readonly secretKey?: string | undefined
}

/** Keys beside the stored ones: tenant by key. */
export type GivenKeys = ReadonlyMap<string, string>

/** Makes the stores that are the same over every database. @param given @default none */
export function createSharedStores(
  database: SharedDatabase,
  { secretKey }: StoresOptions,
  given: GivenKeys = new Map(),
): Pick<Stores, 'responses' | 'audit' | 'files' | 'voices' | 'keys' | 'secrets'> {
  const { tables } = database
  return {
    responses: createResponseStore(database),
    audit: createAuditStore(tables),
    files: createFileStore(database),
    voices: createVoiceStore(database),
    keys: createKeyStore(database, given),
    secrets: createSecretStore(tables, secretKey === undefined ? undefined : createSecretCipher(secretKey)),
  }
}
