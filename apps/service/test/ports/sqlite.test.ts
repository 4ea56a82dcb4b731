import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createAnswerStore } from '../../src/drivers/sqlite/answer-store.ts'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createFileStore } from '../../src/drivers/sqlite/file-store.ts'
import { createKeyStore, createSecretStore, createWebhookSecrets } from '../../src/drivers/sqlite/key-store.ts'
import { createStorageLedger } from '../../src/drivers/sqlite/storage-ledger.ts'
import { createTaskStore } from '../../src/drivers/sqlite/task-store.ts'
import { createVoiceStore } from '../../src/drivers/sqlite/voice-store.ts'
import { createWebhookOutbox } from '../../src/drivers/sqlite/webhook-outbox.ts'
import { createAuditStore } from '../../src/drivers/sqlite/audit-store.ts'
import { describeAnswerStore } from './answer-store.contract.ts'
import { describeAuditStore } from './audit-store.contract.ts'
import { type OpenStores, START, type Stores } from './stores.ts'
import { describeRecordStores, type RecordStores } from './record-stores.contract.ts'
import { describeFairShares } from './fair-shares.contract.ts'
import { describeTaskStore } from './task-store.contract.ts'
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
      answers: createAnswerStore(database, () => clock.now),
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
describeAnswerStore('SQLite', open)

describeRecordStores('SQLite', async (): Promise<RecordStores> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  const clock = { now: START }
  const database = openDatabase(join(folder, 'service.sqlite'))
  return {
    files: createFileStore(database, () => clock.now),
    voices: createVoiceStore(database),
    keys: createKeyStore(database, new Map()),
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
