import { createSecretCipher } from '../../domain/secret-cipher.ts'
import { createAuditStore } from '../sqlite/audit-store.ts'
import type { Stores } from '../sqlite/stores.ts'
import { createAnswerStore } from './answer-store.ts'
import type { PostgresDatabase } from './database.ts'
import { createFileStore } from './file-store.ts'
import { createKeyStore, createSecretStore } from './key-store.ts'
import { createStorageLedger } from './storage-ledger.ts'
import { createStoreMetricsReader } from './store-metrics.ts'
import { createTaskStore } from './task-store.ts'
import { createUsageStore } from '../sqlite/usage-store.ts'
import { usageSlot } from './usage-slot.ts'
import { createVoiceStore } from './voice-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

/** Options of {@link createPostgresStores}. */
export interface PostgresStoresOptions {
  /** Keys beside the stored ones: tenant by key. @default none */
  readonly given?: ReadonlyMap<string, string> | undefined
  /** Most leased tasks of one tenant in the cluster. @default no limit */
  readonly atOncePerTenant?: number | undefined
  /** Seals the secrets. @default secrets are stored in clear */
  readonly secretKey?: string | undefined
}

/** The stores over a database of a cluster. */
export function createPostgresStores(
  database: PostgresDatabase,
  { given = new Map(), atOncePerTenant, secretKey }: PostgresStoresOptions = {},
): Stores {
  return {
    tasks: createTaskStore(database, { atOncePerTenant }),
    outbox: createWebhookOutbox(database),
    answers: createAnswerStore(database),
    audit: createAuditStore(database),
    files: createFileStore(database),
    voices: createVoiceStore(database),
    keys: createKeyStore(database, given),
    ledger: createStorageLedger(database),
    secrets: createSecretStore(database, secretKey === undefined ? undefined : createSecretCipher(secretKey)),
    storeMetrics: createStoreMetricsReader(database),
    usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>(), usageSlot()),
  }
}
