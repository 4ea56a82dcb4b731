import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createResponseStore } from '../../src/drivers/sql/response-store.ts'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createFileStore } from '../../src/drivers/sql/file-store.ts'
import { createKeyStore } from '../../src/drivers/sql/key-store.ts'
import { createSecretStore, createWebhookSecrets } from '../../src/drivers/sql/secret-store.ts'
import { createStorageLedger } from '../../src/drivers/sqlite/storage-ledger.ts'
import { shareSqlite } from '../../src/drivers/sqlite/service-database.ts'
import { AMOUNTS, createStoreMetricsReader } from '../../src/drivers/sqlite/stores.ts'
import { createTaskStore } from '../../src/drivers/sqlite/task-store.ts'
import { createTenantStore, SQLITE_TENANTS } from '../../src/drivers/sql/tenant-store.ts'
import { createUsageStore } from '../../src/drivers/sql/usage-store.ts'
import { createVoiceStore } from '../../src/drivers/sql/voice-store.ts'
import { createWebhookOutbox } from '../../src/drivers/sqlite/webhook-outbox.ts'
import { createAuditStore } from '../../src/drivers/sql/audit-store.ts'
import { describeResponseStore } from './response-store.contract.ts'
import { describeAuditStore } from './audit-store.contract.ts'
import { type OpenStores, START, type Stores } from './stores.ts'
import { describeRecordStores, type RecordStores } from './record-stores.contract.ts'
import { describeStoreMetrics } from './store-metrics.contract.ts'
import { describeFairShares } from './fair-shares.contract.ts'
import { describeTaskStore } from './task-store.contract.ts'
import { describeTenants } from './tenant-store.contract.ts'
import { describeUsage } from './usage.contract.ts'
import { describeWebhookOutbox } from './webhook-outbox.contract.ts'

async function open(options: Parameters<OpenStores>[0] = {}): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const clock = { now: START }
  const opened: ReturnType<typeof openDatabase>[] = []
  const connect = () => {
    const database = openDatabase(join(folder, 'service.sqlite'))
    opened.push(database)
    return {
      tasks: createTaskStore(database, { now: () => clock.now, ...options }),
      outbox: createWebhookOutbox(database, () => clock.now),
      responses: createResponseStore(shareSqlite(database, () => clock.now)),
      ledger: createStorageLedger(database, () => clock.now),
      tenants: createTenantStore(database, SQLITE_TENANTS),
      metrics: createStoreMetricsReader(database, () => clock.now),
      usage: createUsageStore(database.$pickTables<'usage' | 'usage_batches'>()),
    }
  }
  return {
    ...connect(),
    clock,
    reopen: async () => connect(),
    async close() {
      for (const database of opened) await database.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

describeTaskStore('SQLite', open)
describeFairShares('SQLite', open)
describeWebhookOutbox('SQLite', open)
describeResponseStore('SQLite', open)
describeUsage('SQLite', open)
describeTenants('SQLite', open)
describeStoreMetrics('SQLite', open)

test.each(Object.entries(AMOUNTS))('SQLite: the metric of %s reads no table of ended work', async (_name, query) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const database = openDatabase(join(folder, 'service.sqlite'))
  const { rows } = await sql.raw<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`).execute(database)
  // The tables `jobs` and `area_bytes` have rows for open work and for areas only.
  expect(rows.map(({ detail }) => detail).filter((line) => /SCAN (?!jobs|area_bytes)(?!.*USING)/.test(line))).toEqual(
    [],
  )
  await database.destroy()
  await rm(folder, { recursive: true, force: true })
})

describeRecordStores('SQLite', async (): Promise<RecordStores> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const clock = { now: START }
  const database = openDatabase(join(folder, 'service.sqlite'))
  return {
    files: createFileStore(shareSqlite(database, () => clock.now)),
    voices: createVoiceStore(shareSqlite(database)),
    keys: createKeyStore(shareSqlite(database), new Map()),
    secrets: createWebhookSecrets(createSecretStore(database)),
    ledger: createStorageLedger(database),
    clock,
    async close() {
      await database.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
})

describeAuditStore('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const database = openDatabase(join(folder, 'service.sqlite'))
  return {
    audit: createAuditStore(database),
    change: () => sql`UPDATE audit SET action = 'nothing'`.execute(database),
    async close() {
      await database.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
})
