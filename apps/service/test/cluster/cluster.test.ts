import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

let cluster: Cluster
let one: AudioClient
let two: AudioClient
let urls: string[]
beforeAll(async () => {
  cluster = await startCluster()
  const publicUrl = 'http://127.0.0.1:1'
  const api = await Promise.all([1, 2].map(() => cluster.start({ role: 'api', publicUrl })))
  await cluster.start({ role: 'worker', publicUrl, tasksAtOnce: 2 })
  urls = api.map(({ url }) => url)
  ;[one, two] = urls.map((baseUrl) => new AudioClient({ baseUrl, apiKey: KEYS.first })) as [AudioClient, AudioClient]
})
afterAll(() => cluster.stop())

const speech = {
  model: 'svc-tts-1.0-pro',
  input: 'The train leaves at seven.',
  voice_id: 'rms',
  response_format: 'wav',
}
const authorization = `Bearer ${KEYS.first}`

/** A link of one process, as the client of another would use it behind a common address. */
function via(base: string | undefined, link: string): string {
  const { pathname, search } = new URL(link)
  return `${base}${pathname}${search}`
}

describe('two API processes and a worker', () => {
  test('a task accepted by one is done by the worker, and read from the other, with the bytes from S3', async () => {
    const task = await one.speech.createTask(speech)
    const done: { status: string; url?: unknown } = await two.tasks.wait(task.id)
    expect(done.status).toBe('SUCCESS')
    const link = via(urls[1], String(done.url))
    const response = await fetch(link, { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toContain(cluster.s3.endpoint)
    const whole = await fetch(link)
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF')
    const part = await fetch(link, { headers: { range: 'bytes=0-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'RIFF'])
    const head = await fetch(link, { method: 'HEAD' })
    expect(Number(head.headers.get('content-length'))).toBe(bytes.length)
  })

  test('a file uploaded to one is transcribed by a task of the other, and deleted by the first', async () => {
    const { url } = await one.speech.createUrl(speech)
    const wav = Buffer.from(await (await fetch(via(urls[0], url))).arrayBuffer())
    const file = await one.files.create({ file: new File([wav], 'speech.wav') })
    const { id } = await two.transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: file.id })
    const done: { status: string; text?: unknown } = await one.tasks.wait(id)
    expect(done).toMatchObject({ status: 'SUCCESS' })
    expect(String(done.text)).toMatch(/train/)
    expect((await two.files.list()).data.map((listed) => listed.id)).toContain(file.id)
    await one.files.delete(file.id)
    await expect(two.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 })
  })

  test('an idempotency key is known to both', async () => {
    const post = (base: string | undefined, input: string) =>
      fetch(`${base}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'shared' },
        body: JSON.stringify({ ...speech, input, async: true }),
      })
    const responses = await Promise.all([post(urls[0], 'Yes.'), post(urls[1], 'Yes.')])
    const [first, second] = await Promise.all(responses.map((response) => response.json() as Promise<{ id: string }>))
    expect(first?.id).toBe(second?.id)
    expect((await post(urls[1], 'No.')).status).toBe(409)
  })

  test('a request in flight on one refuses its key on the other', async () => {
    const body = JSON.stringify({ ...speech, input: 'A long text. '.repeat(200) })
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'in-flight' }
    const post = (base: string | undefined) => fetch(`${base}/v1/audio/speech`, { method: 'POST', headers, body })
    const statuses = (await Promise.all([post(urls[0]), post(urls[1])])).map(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    expect((await Promise.all(statuses)).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  test('a worker answers probes and no requests', async () => {
    const worker = await cluster.start({ role: 'worker', publicUrl: 'http://127.0.0.1:1' })
    expect((await fetch(`${worker.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${worker.url}/metrics`)).status).toBe(200)
    expect((await fetch(`${worker.url}/v1/models`, { headers: { authorization } })).status).toBe(404)
    await worker.close()
  })

  test('the requests of a key are counted together', async () => {
    const limited = { role: 'api', publicUrl: 'http://127.0.0.1:1', requestsPerMinute: 3 } as const
    const pair = await Promise.all([cluster.start(limited), cluster.start(limited)])
    const ask = (n: number) => fetch(`${pair[n % 2]?.url}/v1/models`, { headers: { authorization } })
    const responses = []
    for (let n = 0; n < 5; n += 1) responses.push(await ask(n))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429])
    expect(Number(responses[4]?.headers.get('retry-after'))).toBeGreaterThan(0)
    for (const service of pair) await service.close()
  })

  test('tenants do not see each other', async () => {
    const { id } = await one.speech.createTask(speech)
    const other = new AudioClient({ baseUrl: urls[1] ?? '', apiKey: KEYS.second })
    await expect(other.tasks.retrieve(id)).rejects.toMatchObject({ status: 404 })
  })
})
