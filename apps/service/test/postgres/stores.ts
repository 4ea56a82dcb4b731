import { PGlite } from '@electric-sql/pglite'
import { PGliteDialect, sql } from 'kysely'
import { createResponseStore } from '../../src/drivers/sql/response-store.ts'
import { overDialect, type PostgresDatabase, sharePostgres } from '../../src/drivers/postgres/database.ts'
import { createFileStore } from '../../src/drivers/sql/file-store.ts'
import { createKeyStore } from '../../src/drivers/sql/key-store.ts'
import { createSecretStore, createWebhookSecrets } from '../../src/drivers/sql/secret-store.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { createStorageLedger } from '../../src/drivers/postgres/storage-ledger.ts'
import { createStoreMetricsReader } from '../../src/drivers/postgres/store-metrics.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import { usageSlot } from '../../src/drivers/postgres/end-task.ts'
import { createVoiceStore } from '../../src/drivers/sql/voice-store.ts'
import { createWebhookOutbox } from '../../src/drivers/postgres/webhook-outbox.ts'
import { createAuditStore } from '../../src/drivers/sql/audit-store.ts'
import { createPostgresTenants } from '../../src/drivers/postgres/tenant-store.ts'
import { createUsageStore } from '../../src/drivers/sql/usage-store.ts'
import type { OpenedAuditStore } from '../ports/audit-store.contract.ts'
import type { RecordStores } from '../ports/record-stores.contract.ts'
import { type OpenStores, START, type Stores } from '../ports/stores.ts'

/** Opens an empty PostgreSQL inside this process, with its tables. */
export async function openPglite(): Promise<PostgresDatabase> {
  const database = overDialect(new PGliteDialect({ pglite: await PGlite.create() }))
  await migrate(database)
  return database
}

/** Empties every table of the service. */
export async function emptyTables(database: PostgresDatabase): Promise<void> {
  await sql`TRUNCATE svc_audio.tasks, svc_audio.jobs, svc_audio.shares, svc_audio.webhooks, svc_audio.webhook_receivers,
    svc_audio.webhook_lanes,
    svc_audio.files, svc_audio.idempotency_keys, svc_audio.responses, svc_audio.voices, svc_audio.objects,
    svc_audio.api_keys, svc_audio.secrets, svc_audio.keys_in_flight, svc_audio.request_counts,
    svc_audio.exclusive_work, svc_audio.stored_bytes, svc_audio.usage, svc_audio.usage_batches,
    svc_audio.area_bytes, svc_audio.begun_objects, svc_audio.audit, svc_audio.failed_requests`.execute(database)
  await sql`UPDATE svc_audio.work_classes SET check_ms = 0`.execute(database)
}

/**
 * The stores of a database, emptied for each test.
 * @param connect Opens a connection. Its result is opened once more for `reopen`.
 */
export function storesOf(connect: () => Promise<PostgresDatabase>): OpenStores {
  return async (options = {}): Promise<Stores> => {
    const clock = { now: START }
    const open = async () => {
      const database = await connect()
      return {
        database,
        tasks: createTaskStore(database, { now: () => clock.now, ...options }),
        outbox: createWebhookOutbox(database, () => clock.now),
        responses: createResponseStore(sharePostgres(database, () => clock.now)),
        ledger: createStorageLedger(database, () => clock.now),
        tenants: createPostgresTenants(database),
        metrics: createStoreMetricsReader(database, () => clock.now),
        usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>(), usageSlot()),
      }
    }
    const first = await open()
    await emptyTables(first.database)
    return { ...first, clock, reopen: open, close: async () => {} }
  }
}

/** The stores of records of a database, emptied for each test. */
export function recordStoresOf(connect: () => Promise<PostgresDatabase>): () => Promise<RecordStores> {
  return async () => {
    const clock = { now: START }
    const database = await connect()
    await emptyTables(database)
    return {
      files: createFileStore(sharePostgres(database, () => clock.now)),
      voices: createVoiceStore(sharePostgres(database)),
      keys: createKeyStore(sharePostgres(database), new Map()),
      secrets: createWebhookSecrets(createSecretStore(database)),
      ledger: createStorageLedger(database),
      clock,
      close: async () => {},
    }
  }
}

/** The audit log of a database, emptied for each test. */
export function auditStoreOf(connect: () => Promise<PostgresDatabase>): () => Promise<OpenedAuditStore> {
  return async () => {
    const database = await connect()
    await emptyTables(database)
    return {
      audit: createAuditStore(database),
      change: () => sql`UPDATE svc_audio.audit SET action = 'nothing'`.execute(database),
      close: async () => undefined,
    }
  }
}
