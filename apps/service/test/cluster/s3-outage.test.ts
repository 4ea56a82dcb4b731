import { setTimeout as sleep } from 'node:timers/promises'
import { AudioClient } from '@svc-audio/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { createS3Client } from '../../src/drivers/s3/client.ts'
import { createS3ObjectStore } from '../../src/drivers/s3/object-store.ts'
import { type FaultProxy, startFaultProxy } from './chaos/fault-proxy.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

let cluster: Cluster
let proxy: FaultProxy
let database: PostgresDatabase
let url: string
let metricsUrl: string
let client: AudioClient
beforeAll(async () => {
  cluster = await startCluster()
  proxy = await startFaultProxy(Number(new URL(cluster.s3.endpoint).port))
  database = await openPostgres({ url: cluster.postgres.url, onError: () => {} })
  const settings = { s3Endpoint: `http://127.0.0.1:${proxy.port}`, publicUrl: 'http://127.0.0.1:1' }
  ;({ url } = await cluster.start({ role: 'api', ...settings }))
  metricsUrl = `${(await cluster.start({ role: 'worker', tasksAtOnce: 2, ...settings })).url}/metrics`
  client = new AudioClient({ baseUrl: url, apiKey: KEYS.first })
})
afterEach(() => {
  Object.assign(proxy, { down: false, delay: 0 })
})
afterAll(async () => {
  await cluster.stop()
  await proxy.close()
  await database.destroy()
})

const speech = { model: 'svc-tts-1.0-pro', input: 'The train leaves at seven.', voice_id: 'rms' }
const authorization = `Bearer ${KEYS.first}`

function post(change: object): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' }
  return fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body: JSON.stringify({ ...speech, ...change }) })
}

function upload(bytes: number): Promise<Response> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), 'large.wav')
  return fetch(`${url}/v1/files`, { method: 'POST', headers: { authorization }, body: form })
}

async function expectUnavailable(response: Response): Promise<void> {
  expect(await response.json()).toMatchObject({ error: { code: 'storage_unavailable' } })
  expect(response.status).toBe(503)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
}

/** Names in the ledger and in the bucket. They are the same when nothing is lost and nothing is left over. */
async function stored(area: 'results' | 'uploads'): Promise<{ readonly ledger: string[]; readonly bucket: string[] }> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM svc_audio.objects WHERE area = ${area}`.execute(
    database,
  )
  const s3 = await createS3Client(cluster.s3)
  const unused = () => Promise.reject(new Error('Not used'))
  const scratch = { withPath: unused, withCopy: unused, clear: async () => {} }
  const store = await createS3ObjectStore({ client: s3, bucket: cluster.s3.bucket, prefix: `${area}/`, scratch })
  const bucket: string[] = []
  for await (const { name } of store.list()) bucket.push(name)
  s3.destroy()
  return { ledger: rows.map(({ name }) => name).toSorted(), bucket: bucket.toSorted() }
}

async function attemptsOf(id: string): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`SELECT attempts FROM svc_audio.jobs WHERE task_id = ${id}`.execute(
    database,
  )
  return rows[0]?.attempts ?? -1
}

test('while S3 is down, responses that need it are 503 and leave nothing; others work', async () => {
  proxy.down = true
  await expectUnavailable(await post({ delivery_method: 'url', response_format: 'wav' }))
  await expectUnavailable(await upload(100_000))
  expect((await post({ response_format: 'wav' })).status).toBe(200)
  expect((await client.files.list()).data).toEqual([])
  proxy.down = false
  for (const area of ['results', 'uploads'] as const) expect(await stored(area)).toEqual({ ledger: [], bucket: [] })
})

test('a task at work during an outage keeps its result and stores it after the outage, with its first attempt', async () => {
  proxy.down = true
  const { id } = await client.speech.createTask({ ...speech, response_format: 'wav' })
  await expect
    .poll(async () => (await fetch(metricsUrl)).text(), { timeout: 60_000, interval: 200 })
    .toContain('svc_audio_object_store_up 0')
  await sleep(6000)
  expect(await attemptsOf(id)).toBe(1)
  proxy.down = false
  const done: { status: string; url?: unknown } = await client.tasks.wait(id)
  expect(done.status).toBe('SUCCESS')
  const { pathname, search } = new URL(String(done.url))
  const audio = await fetch(`${url}${pathname}${search}`)
  expect(
    Buffer.from(await audio.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('RIFF')
  const { ledger, bucket } = await stored('results')
  expect(ledger).toEqual(bucket)
  expect(ledger.filter((name) => name.startsWith(id))).toHaveLength(1)
})

test('a transcription whose input cannot be read waits for it', async () => {
  const wav = Buffer.from(await (await post({ response_format: 'wav' })).arrayBuffer())
  const file = await client.files.create({ file: new File([wav], 'speech.wav') })
  proxy.down = true
  const { id } = await client.transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: file.id })
  await sleep(3000)
  proxy.down = false
  const done: { status: string; text?: unknown } = await client.tasks.wait(id)
  expect(done).toMatchObject({ status: 'SUCCESS' })
  expect(String(done.text)).toMatch(/train/)
  await client.files.delete(file.id)
})

test('an upload whose connections to S3 are cut is stored whole or refused whole', async () => {
  const uploads = Array.from({ length: 4 }, () => upload(20_000_000))
  proxy.delay = 5
  for (let n = 0; n < 10; n += 1) {
    await sleep(300)
    proxy.cut()
  }
  proxy.down = true
  const responses = await Promise.all(uploads)
  Object.assign(proxy, { down: false, delay: 0 })
  for (const response of responses) {
    if (response.status === 200) await response.arrayBuffer()
    else await expectUnavailable(response)
  }
  const listed = (await client.files.list()).data.map(({ id }) => id).toSorted()
  expect(listed).toHaveLength(responses.filter(({ status }) => status === 200).length)
  const { ledger, bucket } = await stored('uploads')
  expect(ledger).toEqual(listed)
  // A cut response of S3 may leave an object that nobody knows. The sweep removes it after an hour.
  expect(bucket).toEqual(expect.arrayContaining(listed))
})

test('a slow S3 delays responses, and breaks none', async () => {
  proxy.delay = 150
  const { url: link } = await client.speech.createUrl({ ...speech, response_format: 'wav' })
  expect(link).toContain('/v1/audio/results/')
})

test('while S3 is down, a file is deleted once; its bytes and their entry stay until the clean-up', async () => {
  const file = await client.files.create({ file: new File(['audio'], 'speech.wav') })
  proxy.down = true
  await client.files.delete(file.id)
  await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 })
  proxy.down = false
  const { ledger, bucket } = await stored('uploads')
  expect(ledger).toContain(file.id)
  expect(bucket).toContain(file.id)
})
