import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { errorCode } from '../../domain/error-code.ts'
import { SchemaError } from '../../domain/errors.ts'
import { DatabaseThread } from './database-thread.ts'
import { type OpenedStores, openStores } from './stores.ts'

let folder: string
let path: string
let opened: OpenedStores | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-thread-'))
  path = join(folder, 'service.sqlite')
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  await rm(folder, { recursive: true, force: true })
})

const TASK = { id: 'task_1', tenant: 'a', kind: 'audio.speech', model: 'm' } as const

test('a write is readable at once, and after a restart', async () => {
  opened = await openStores(path)
  await opened.stores.tasks.accept({ ...TASK, request: {} })
  expect(await opened.stores.tasks.find('a', 'task_1')).toMatchObject({ status: 'PENDING' })
  await opened.close()
  opened = await openStores(path)
  expect(await opened.stores.tasks.find('a', 'task_1')).toMatchObject({ status: 'PENDING' })
})

test('writes in flight end before the stores close', async () => {
  opened = await openStores(path)
  const accepted = opened.stores.tasks.accept({ ...TASK, request: {} })
  await opened.close()
  expect(await accepted).toMatchObject({ outcome: 'accepted' })
  await expect(opened.stores.tasks.dropLeases()).rejects.toThrow('closed')
  opened = undefined
})

test('an error of SQLite keeps its code', async () => {
  opened = await openStores(path)
  await opened.stores.tasks.accept({ ...TASK, request: {} })
  const failure: unknown = await opened.stores.tasks.accept({ ...TASK, request: {} }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(errorCode(failure)).toBe('ERR_SQLITE_ERROR')
  expect(String(failure)).toContain('UNIQUE')
})

test('a database of another version is refused', async () => {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA user_version = 999')
  database.close()
  await expect(openStores(path)).rejects.toBeInstanceOf(SchemaError)
})

test('a folder that does not exist is the error of the opening', async () => {
  await expect(openStores(join(folder, 'none', 'a.sqlite'))).rejects.toThrow('unable to open')
})

test('a call of a method that a store does not have fails alone', async () => {
  const thread = await DatabaseThread.open({ path })
  await expect(thread.call({ store: 'tasks', method: 'nothing', args: [] })).rejects.toThrow('no method nothing')
  expect(await thread.call({ store: 'tasks', method: 'dropLeases', args: [] })).toBe(0)
  await thread.close()
})
