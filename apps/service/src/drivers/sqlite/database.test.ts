import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { MIGRATIONS } from './tables.ts'
import { createTaskStore } from './task-store.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  path = join(folder, 'service.sqlite')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a database of an older version is upgraded: its tasks stay, its unfinished streams can be failed', async () => {
  const old = new DatabaseSync(path)
  old.exec(MIGRATIONS[0] ?? '')
  old.exec('PRAGMA user_version = 1')
  const insert = old.prepare(
    `INSERT INTO tasks (id, tenant, kind, status, model, created_at, updated_at, result)
     VALUES (?, 't', 'audio.speech', ?, 'm', 5, 6, ?)`,
  )
  insert.run('done', 'SUCCESS', '{"file":"a.wav"}')
  insert.run('cut', 'PROCESSING', null)
  old.close()
  const database = openDatabase(path)
  const tasks = createTaskStore(database)
  expect(await tasks.find('t', 'done')).toMatchObject({ status: 'SUCCESS', createdAt: 5, result: { file: 'a.wav' } })
  expect(await tasks.claim(1000)).toMatchObject({ taskId: 'cut', request: undefined })
  expect(await tasks.claim(1000)).toBeUndefined()
  await database.destroy()
})

test('the idempotency keys of an older version still lead to their tasks', async () => {
  const old = new DatabaseSync(path)
  old.exec('PRAGMA foreign_keys = ON')
  for (const step of MIGRATIONS.slice(0, 2)) old.exec(step)
  old.exec('PRAGMA user_version = 2')
  old.exec(`INSERT INTO tasks (id, tenant, kind, status, model, created_at, updated_at, result)
    VALUES ('made', 't', 'audio.speech', 'SUCCESS', 'm', 5, 6, '{}')`)
  old.exec(`INSERT INTO idempotency_keys (tenant, key, fingerprint, task_id) VALUES ('t', 'k', 'f', 'made')`)
  old.close()
  const database = openDatabase(path)
  const tasks = createTaskStore(database)
  const order = { id: 'new', tenant: 't', kind: 'audio.speech', model: 'm', request: {} } as const
  const again = await tasks.accept({ ...order, idempotency: { key: 'k', fingerprint: 'f' } })
  expect(again).toMatchObject({ outcome: 'repeated', task: { id: 'made' } })
  expect(await tasks.forget(7000)).toBe(1)
  expect(await tasks.accept({ ...order, idempotency: { key: 'k', fingerprint: 'g' } })).toMatchObject({
    outcome: 'accepted',
  })
  await database.destroy()
})

test('webhooks of an older version are still called', async () => {
  const old = new DatabaseSync(path)
  for (const step of MIGRATIONS.slice(0, 6)) old.exec(step)
  old.exec('PRAGMA user_version = 6')
  old.exec(`INSERT INTO tasks (id, tenant, kind, status, model, created_at, updated_at, result, webhook_url)
    VALUES ('made', 't', 'audio.speech', 'SUCCESS', 'm', 5, 6, '{}', 'https://example.com/')`)
  old.exec(`INSERT INTO webhooks (id, task_id, url, status, attempts, token, due_ms, created_ms)
    VALUES ('msg_1', 'made', 'https://example.com/', 'pending', 1, 1, 5000, 5000)`)
  old.close()
  const database = openDatabase(path)
  const outbox = createWebhookOutbox(database)
  expect(await outbox.claim(1000, 1)).toMatchObject({ id: 'msg_1', attempt: 2, task: { id: 'made', tenant: 't' } })
  expect(await outbox.claim(1000, 1)).toBeUndefined()
  await database.destroy()
})

test('it can be opened repeatedly, and by two at once', async () => {
  const databases = [openDatabase(path), openDatabase(path)]
  for (const database of databases) await database.destroy()
  const again = new DatabaseSync(path)
  expect(again.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
  expect(again.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  again.close()
})

test('a database of a newer version is refused', () => {
  const newer = new DatabaseSync(path)
  newer.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
  newer.close()
  expect(() => openDatabase(path)).toThrow('newer version')
})
