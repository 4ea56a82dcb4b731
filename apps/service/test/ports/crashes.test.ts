import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createTaskStore } from '../../src/drivers/sqlite/task-store.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'

let folder: string
let database: ReturnType<typeof openDatabase>
let tasks: TaskStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  database = openDatabase(join(folder, 'service.sqlite'))
  tasks = createTaskStore(database)
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true, force: true })
})

const accept = (id: string) => tasks.accept({ id, tenant: 't', kind: 'audio.speech', model: 'm', request: {} })

/** The process crashes while it works on this many tasks, or on a suspect. */
async function crash(atWork: number | 'suspect'): Promise<void> {
  if (atWork === 'suspect') await tasks.claim(1000, { suspects: true })
  else for (let count = 0; count < atWork; count += 1) await tasks.claim(1000)
  await tasks.dropLeases({ crashed: true })
}

test('a start that a crash ended is no attempt', async () => {
  await accept('a')
  await crash(1)
  expect(await tasks.claim(1000)).toMatchObject({ taskId: 'a', attempt: 1, crashes: 1, interruptions: 0 })
})

test('a task that was running at two crashes is a suspect, and those that waited are not', async () => {
  for (const id of ['a', 'b', 'c']) await accept(id)
  await crash(2)
  expect(await tasks.countSuspects()).toBe(0)
  await crash(2)
  expect(await tasks.countSuspects()).toBe(2)
  expect(await tasks.claim(1000)).toMatchObject({ taskId: 'c', crashes: 0 })
  expect(await tasks.claim(1000)).toBeUndefined()
  expect(await tasks.claim(1000, { suspects: true })).toMatchObject({ taskId: 'a', attempt: 1, crashes: 2 })
})

test('only the crash of a suspect that ran alone is an interruption, and the others come before it', async () => {
  for (const id of ['a', 'b']) await accept(id)
  await crash(2)
  await crash(2)
  await crash('suspect')
  expect(await tasks.claim(1000, { suspects: true })).toMatchObject({ taskId: 'b', interruptions: 0 })
  expect(await tasks.claim(1000, { suspects: true })).toMatchObject({ taskId: 'a', interruptions: 1 })
  // Both are running: neither was alone.
  await tasks.dropLeases({ crashed: true })
  expect(await tasks.claim(1000, { suspects: true })).toMatchObject({ taskId: 'b', crashes: 3, interruptions: 0 })
})

test('a suspect beside a stream was not alone', async () => {
  await accept('a')
  await crash(1)
  await crash(1)
  await tasks.begin({ id: 's', tenant: 't', kind: 'audio.speech', model: 'm' }, 1000)
  await crash('suspect')
  expect(await tasks.claim(1000, { suspects: true })).toMatchObject({ taskId: 'a', crashes: 3, interruptions: 0 })
})

test('a crash without a running task counts against none', async () => {
  await accept('a')
  await crash(1)
  await crash(1)
  for (let count = 0; count < 8; count += 1) await tasks.dropLeases({ crashed: true })
  expect(await tasks.claim(1000, { suspects: true })).toMatchObject({ crashes: 2, interruptions: 0 })
})

test('suspects are claimed by work class, and only when they are due', async () => {
  await accept('a')
  await crash(1)
  await crash(1)
  expect(await tasks.claim(1000, { suspects: true, workClasses: ['recognition'] })).toBeUndefined()
  const claim = await tasks.claim(1000, { suspects: true, workClasses: ['speech'] })
  if (claim === undefined) throw new Error('Not claimed')
  await tasks.release(claim, { delay: 60_000 })
  expect(await tasks.claim(1000, { suspects: true })).toBeUndefined()
  expect(await tasks.countSuspects()).toBe(1)
})
