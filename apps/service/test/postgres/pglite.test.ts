import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStoreMetricsReader } from '../../src/drivers/postgres/store-metrics.ts'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { describeResponseStore } from '../ports/response-store.contract.ts'
import { describeAuditStore } from '../ports/audit-store.contract.ts'
import { describeRecordStores } from '../ports/record-stores.contract.ts'
import { describeStoreMetrics } from '../ports/store-metrics.contract.ts'
import { describeFairShares } from '../ports/fair-shares.contract.ts'
import { describeTaskStore } from '../ports/task-store.contract.ts'
import { describeTenants } from '../ports/tenant-store.contract.ts'
import { describeUsage } from '../ports/usage.contract.ts'
import { describeWebhookOutbox } from '../ports/webhook-outbox.contract.ts'
import { rowsOf } from './rows-of.ts'
import { auditStoreOf, emptyTables, openPglite, recordStoresOf, storesOf } from './stores.ts'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPglite()
})
afterAll(() => database.destroy())

const open = storesOf(async () => database)
describeTaskStore('PGlite', open, { sequences: 4 })
describeFairShares('PGlite', open)
describeWebhookOutbox('PGlite', open)
describeResponseStore('PGlite', open)
describeUsage('PGlite', open)
describeTenants('PGlite', open)
describeStoreMetrics('PGlite', open)

test('PGlite: the metrics read the rows of open work, not those of 20,000 ended tasks', async () => {
  await emptyTables(database)
  await sql`INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
    SELECT 'task_' || n, 't', 'audio.speech', CASE WHEN n <= 10 THEN 'PENDING' ELSE 'SUCCESS' END, 'm', n, n
    FROM generate_series(1, 20000) AS n`.execute(database)
  await sql`INSERT INTO svc_audio.webhooks (id, task_id, tenant, url, status, attempts, token, due_ms, created_ms)
    SELECT 'msg_' || n, 'task_' || n, 't', 'u', CASE WHEN n <= 10 THEN 'pending' ELSE 'delivered' END, 0, 0, 0, 0
    FROM generate_series(1, 20000) AS n`.execute(database)
  await sql`ANALYZE svc_audio.tasks, svc_audio.webhooks`.execute(database)
  const read = await rowsOf(database, async (transaction) => {
    expect((await createStoreMetricsReader(transaction).read()).pendingWebhooks).toBe(10)
  })
  expect(read).toBeLessThan(50)
  await emptyTables(database)
})
describeRecordStores(
  'PGlite',
  recordStoresOf(async () => database),
)
describeAuditStore(
  'PGlite',
  auditStoreOf(async () => database),
)
