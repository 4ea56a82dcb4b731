import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimedSpeech, createFakeServices, type FakeServices, namesIn } from '../../../test/support/fake-services.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { compareWithLedger, findOrphans, removeOrphans } from './orphans.ts'
import { startSweeping } from './sweep.ts'

const HOUR = 3600 * 1000
const lifetimes = {
  inputs: 24 * HOUR,
  failedRequests: 24 * HOUR,
  results: 48 * HOUR,
  responses: 24 * HOUR,
  audit: 90 * 24 * HOUR,
}
const FOLDERS = { objects: 'files', inputs: 'inputs', results: 'results' } as const
type Store = keyof typeof FOLDERS

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
})
afterEach(() => services.close())

/** Stores an object that the database enters. */
async function enter(name: string, store: Store, storedAt = services.clock.now()): Promise<void> {
  const path = join(services.dataDir, 'file')
  await writeFile(path, 'x')
  await utimes(path, storedAt / 1000, storedAt / 1000)
  await services[store].of('t').putFile(name, path)
}

/** Stores an object that the database knows nothing of. */
async function leave(name: string, store: Store, storedAt = services.clock.now()): Promise<void> {
  const path = join(services.dataDir, FOLDERS[store], name)
  await writeFile(path, 'x')
  await utimes(path, storedAt / 1000, storedAt / 1000)
}

async function upload(name: string): Promise<void> {
  await enter(name, 'objects')
  await services.files.accept({ id: name, tenant: 't', filename: 'a', purpose: '', bytes: 1 })
}

test('an object that the database has entered and nothing needs is removed, with its quota and a count in the log', async () => {
  await upload('needed')
  await enter('crashed', 'objects')
  await enter('input', 'inputs')
  await enter('task_1-1.wav', 'results')
  await enter('task_1-2.wav', 'results')
  await services.tasks.succeed(await claimedSpeech(services), { file: 'task_1-2.wav' })
  await enter('speech_1.wav', 'results')
  await removeOrphans(services, { unnamed: true })
  expect(await namesIn(services.objects)).toEqual(['needed'])
  expect(await namesIn(services.inputs)).toEqual([])
  expect((await namesIn(services.results)).toSorted()).toEqual(['speech_1.wav', 'task_1-2.wav'])
  expect((await services.storeMetrics.read()).storedBytes).toEqual({ uploads: 1, inputs: 0, results: 2 })
  expect(services.logged.join('\n')).toMatch(/were removed \{"area":"uploads","removed":1,"objects":2\}/)
})

test('an object of the last hour stays: its row may follow', async () => {
  await services.clock.pass(2 * HOUR)
  await enter('young', 'objects')
  await removeOrphans(services, { before: services.clock.now() - HOUR, unnamed: true })
  expect(await namesIn(services.objects)).toEqual(['young'])
})

test('one upload of twenty without a row is removed', async () => {
  for (let count = 0; count < 19; count += 1) await upload(`file_${count}`)
  await leave('crashed', 'objects')
  await removeOrphans(services)
  expect(await namesIn(services.objects)).toContain('crashed')
  await removeOrphans(services, { unnamed: true })
  expect(await namesIn(services.objects)).not.toContain('crashed')
})

test('more than one upload of twenty without a row stay, and the log says how many and what to do', async () => {
  for (let count = 0; count < 18; count += 1) await upload(`file_${count}`)
  await leave('lost-1', 'objects')
  await leave('lost-2', 'objects')
  await removeOrphans(services, { unnamed: true })
  expect(await namesIn(services.objects)).toHaveLength(20)
  expect(services.logged.join('\n')).toMatch(
    /objects without a row in the database stay: .*orphans list.* \{"area":"uploads","unnamed":2,"objects":20\}/,
  )
})

test('a start counts the objects without a row in the log, and strikes entries without an object', async () => {
  await leave('lost', 'objects')
  await leave('task_9-1.wav', 'results')
  await enter('speech_1.wav', 'results')
  await compareWithLedger(services)
  expect(services.logged).toEqual([
    expect.stringMatching(/stay for an hour .*\{"unnamed":\{"uploads":1,"results":1\}\}/),
  ])
})

test('inputs and results without a row stay for the first hour of the service, then until their lifetime is over', async () => {
  const old = services.clock.now() - 100 * HOUR
  await leave('old-input', 'inputs', old)
  await leave('old.wav', 'results', old)
  await enter('entered.wav', 'results', old)
  await leave('young-input', 'inputs')
  await leave('young.wav', 'results')
  const stop = startSweeping(services, lifetimes)
  await settle()
  for (let minutes = 0; minutes < 50; minutes += 10) {
    await services.clock.pass(600_000)
    await settle()
  }
  expect((await namesIn(services.inputs)).toSorted()).toEqual(['old-input', 'young-input'])
  await expect.poll(async () => (await namesIn(services.results)).toSorted()).toEqual(['old.wav', 'young.wav'])
  await services.clock.pass(600_000)
  await services.clock.pass(600_000)
  await expect.poll(() => namesIn(services.inputs)).toEqual(['young-input'])
  await expect.poll(() => namesIn(services.results)).toEqual(['young.wav'])
  await stop()
})

test('an hour after the start, few uploads without a row that were stored before it are removed', async () => {
  for (let count = 0; count < 20; count += 1) await upload(`file_${count}`)
  await leave('crashed', 'objects', services.clock.now() - 1000)
  const stop = startSweeping(services, lifetimes)
  await services.clock.pass(50 * 60_000)
  await settle()
  expect(await namesIn(services.objects)).toContain('crashed')
  await services.clock.pass(600_000)
  await services.clock.pass(600_000)
  await expect.poll(() => namesIn(services.objects)).toHaveLength(20)
  await stop()
})

test('objects that were stored later are no orphans', async () => {
  await leave('young', 'inputs')
  const { known, unnamed, of } = await findOrphans(services, 'inputs', services.clock.now())
  expect({ known, unnamed, of }).toEqual({ known: [], unnamed: [], of: 1 })
})
