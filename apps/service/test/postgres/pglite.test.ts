import { afterAll, beforeAll } from 'vitest'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { describeAnswerStore } from '../ports/answer-store.contract.ts'
import { describeAuditStore } from '../ports/audit-store.contract.ts'
import { describeRecordStores } from '../ports/record-stores.contract.ts'
import { describeFairShares } from '../ports/fair-shares.contract.ts'
import { describeTaskStore } from '../ports/task-store.contract.ts'
import { describeWebhookOutbox } from '../ports/webhook-outbox.contract.ts'
import { auditStoreOf, openPglite, recordStoresOf, storesOf } from './stores.ts'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPglite()
})
afterAll(() => database.destroy())

const open = storesOf(async () => database)
describeTaskStore('PGlite', open, { sequences: 4 })
describeFairShares('PGlite', open)
describeWebhookOutbox('PGlite', open)
describeAnswerStore('PGlite', open)
describeRecordStores(
  'PGlite',
  recordStoresOf(async () => database),
)
describeAuditStore(
  'PGlite',
  auditStoreOf(async () => database),
)
