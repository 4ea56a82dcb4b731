import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnswerStore } from '../../src/drivers/sqlite/answer-store.ts'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createTaskStore } from '../../src/drivers/sqlite/task-store.ts'
import { createWebhookOutbox } from '../../src/drivers/sqlite/webhook-outbox.ts'
import { describeAnswerStore } from './answer-store.contract.ts'
import { type OpenStores, START, type Stores } from './stores.ts'
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
describeWebhookOutbox('SQLite', open)
describeAnswerStore('SQLite', open)
