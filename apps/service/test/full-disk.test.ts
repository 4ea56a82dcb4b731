import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toServiceError } from '../src/use-cases/to-service-error.ts'
import { createFolderObjectStore } from '../src/drivers/folder/object-store.ts'
import { openDatabase } from '../src/drivers/sqlite/database.ts'
import { createStorageLedger } from '../src/drivers/sqlite/storage-ledger.ts'
import { createTaskStore } from '../src/drivers/sqlite/task-store.ts'
import type { ObjectStore } from '../src/ports/object-store.ts'
import type { StorageLedger } from '../src/ports/storage-ledger.ts'
import type { Services } from '../src/services.ts'
import { runTask } from '../src/workers/run-task.ts'
import { createTenantObjects } from '../src/use-cases/objects.ts'
import {
  claimAgain,
  claimedSpeech,
  createFakeServices,
  type FakeServices,
  namesIn,
  wholeReserve,
} from './support/fake-services.ts'
import { serveApp } from './support/fake-app.ts'
import { errorOf } from './support/test-service.ts'

const fullDisk = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

let fake: FakeServices
let key: string
const closers: (() => Promise<void>)[] = []
beforeEach(async () => {
  fake = await createFakeServices()
  ;({ key } = await fake.stores.keys.create('t'))
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await fake.close()
})

/** A folder on a disk with room for a few bytes. Its database has room. */
async function fullFolder(area: 'results' | 'inputs', ledger: StorageLedger = noLedger) {
  const folder = await createFolderObjectStore(join(fake.dataDir, area))
  const store: ObjectStore = {
    ...folder,
    put: (name, source) =>
      folder.put(
        name,
        (async function* full() {
          for await (const chunk of source) yield chunk.subarray(0, 1)
          throw fullDisk()
        })(),
      ),
    putFile: () => Promise.reject(fullDisk()),
  }
  return createTenantObjects({ area, store, ledger, reserve: wholeReserve })
}

const noLedger: StorageLedger = {
  enter: async () => true,
  strike: async () => [],
  retain: async (_area, names) => names,
  names: async () => [],
  entriesOf: async () => [],
  bytesOf: async () => 0,
}

async function post(services: Services, path: string, body: object): Promise<Response> {
  const app = await serveApp(services)
  closers.push(() => app.close())
  const form = body instanceof FormData
  const headers = { authorization: `Bearer ${key}`, ...(form ? {} : { 'content-type': 'application/json' }) }
  return fetch(app.url + path, { method: 'POST', headers, body: form ? body : JSON.stringify(body) })
}

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'v' }

async function expectStorageFull(response: Response): Promise<void> {
  expect(response.headers.get('retry-after')).toBe('60')
  expect(await errorOf(response)).toEqual({ status: 503, code: 'storage_full', param: null })
}

describe('a full disk', () => {
  test('is 503 with Retry-After for a result, and no partial file stays', async () => {
    const results = await fullFolder('results')
    await expectStorageFull(
      await post({ ...fake, objects: { ...fake.objects, results } }, '/v1/audio/speech', {
        ...SPEECH,
        delivery_method: 'url',
      }),
    )
    expect(await readdir(join(fake.dataDir, 'results'))).toEqual([])
  })

  test('is 503 for a file of an asynchronous transcription: no task, no file', async () => {
    const inputs = await fullFolder('inputs')
    const form = new FormData()
    form.set('model', 'svc-transcribe-1.0')
    form.set('async', 'true')
    form.set('file', new Blob(['audio']), 'a.wav')
    await expectStorageFull(
      await post({ ...fake, objects: { ...fake.objects, inputs } }, '/v1/audio/transcriptions', form),
    )
    expect(await fake.stores.tasks.claim(1000)).toBeUndefined()
    expect(await readdir(fake.objects.uploadFolder)).toEqual([])
    expect(await readdir(join(fake.dataDir, 'inputs'))).toEqual([])
  })

  test('ends a stream of events with its code, and fails its task', async () => {
    const results = await fullFolder('results')
    const stream = { ...SPEECH, stream: true, response_format: 'pcm', stream_format: 'sse' }
    const events = await (
      await post({ ...fake, objects: { ...fake.objects, results } }, '/v1/audio/speech', stream)
    ).text()
    const last = events.trim().split('\n\n').at(-1) ?? ''
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ type: 'error', error: { code: 'storage_full' } })
    const usage = await fake.stores.usage.read({ from: '2000-01-01', to: '2099-12-31' })
    expect(usage.map(({ failed }) => failed)).toEqual([1])
    expect(await readdir(join(fake.dataDir, 'results'))).toEqual([])
  })

  test('lets a task be retried, which succeeds once there is room', async () => {
    const results = await fullFolder('results')
    await runTask({ ...fake, objects: { ...fake.objects, results } }, await claimedSpeech(fake))
    expect((await fake.stores.tasks.find('t', 'task_1'))?.status).toBe('PROCESSING')
    await fake.clock.pass(60_000)
    await runTask(fake, await claimAgain(fake))
    expect((await fake.stores.tasks.find('t', 'task_1'))?.status).toBe('SUCCESS')
    expect(await namesIn(fake.objects.results)).toHaveLength(1)
  })

  test('fails a task without room at all attempts, with the reason', async () => {
    const results = await fullFolder('results')
    await runTask({ ...fake, objects: { ...fake.objects, results } }, await claimedSpeech(fake))
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      await fake.clock.pass(60_000)
      await runTask({ ...fake, objects: { ...fake.objects, results } }, await claimAgain(fake))
    }
    expect(await fake.stores.tasks.find('t', 'task_1')).toMatchObject({
      status: 'FAILED',
      error: { code: 'storage_full' },
    })
  })
})

describe('a database that cannot grow', () => {
  /** The same database, through a connection that cannot add pages. */
  async function fullDatabase() {
    const database = openDatabase(join(fake.dataDir, 'service.sqlite'))
    closers.push(() => database.destroy())
    await sql`PRAGMA max_page_count = 1`.execute(database)
    return database
  }

  test('is 503 for a task, and creates none', async () => {
    const tasks = createTaskStore(await fullDatabase())
    const long = { ...SPEECH, input: 'a'.repeat(900), async: true }
    let response: Response | undefined
    // Requests that fit into the existing pages succeed.
    for (let n = 0; n < 50 && response?.status !== 503; n += 1) {
      response = await post(
        { ...fake, stores: { ...fake.stores, tasks }, settings: { ...fake.settings, maxInputCharacters: 1000 } },
        '/v1/audio/speech',
        long,
      )
    }
    if (response === undefined) throw new Error('Nothing was answered')
    await expectStorageFull(response)
    const { tasks: kept, queued } = await fake.stores.metrics.read()
    expect(kept.PENDING).toBe(queued)
  })

  test('leaves no object without an owner', async () => {
    const ledger = createStorageLedger(await fullDatabase())
    const store = await createFolderObjectStore(join(fake.dataDir, 'results'))
    const results = createTenantObjects({ area: 'results', store, ledger, reserve: wholeReserve }).of('t')
    let kept = 0
    await expect(
      (async () => {
        for (; kept < 1000; kept += 1) await results.put(`${'n'.repeat(190)}${kept}`, one())
      })(),
    ).rejects.toThrow(/full/)
    expect(await readdir(join(fake.dataDir, 'results'))).toHaveLength(kept)
  })
})

describe('the storage_full error', () => {
  const sqliteFull = { code: 'ERR_SQLITE_ERROR', errcode: 13 }
  test.each([{ code: 'ENOSPC' }, { code: 'EDQUOT' }, sqliteFull])(
    'stands for $code $errcode, also as a cause',
    (fields) => {
      const error = Object.assign(new Error('no'), fields)
      expect(toServiceError(error)).toMatchObject({ status: 503, code: 'storage_full', retryAfterSeconds: 60 })
      const wrapped = new Error('outer', { cause: new Error('inner', { cause: error }) })
      expect(toServiceError(wrapped)).toMatchObject({ status: 503, code: 'storage_full' })
      expect(toServiceError(error).message).not.toContain('no space')
    },
  )

  test('stands for no other error, and a circle of causes ends', () => {
    const circle = new Error('a')
    circle.cause = circle
    expect(toServiceError(circle)).toMatchObject({ status: 500 })
    expect(toServiceError(Object.assign(new Error('no'), { code: 'EACCES' }))).toMatchObject({ status: 500 })
    expect(toServiceError(Object.assign(new Error('no'), { ...sqliteFull, errcode: 10 }))).toMatchObject({
      status: 500,
    })
  })
})

async function* one(): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(1)
}
