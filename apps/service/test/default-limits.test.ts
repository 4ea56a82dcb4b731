import { request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../src/index.ts'
import { SPEECH } from './support/requests.ts'
import { errorOf, KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

async function start(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const service = await startTestService(options)
  services.push(service)
  return service
}

const AS_OTHER = { authorization: `Bearer ${OTHER_KEY}` }

/** A form of an upload that is open: its first bytes are sent, its end is not. */
function openUpload({ url }: TestService, bytes: number, path = '/v1/files') {
  const boundary = 'b'
  const upload = request(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  })
  const status = new Promise<number>((resolve) => {
    upload.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    upload.on('error', () => resolve(0))
  })
  upload.write(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`)
  upload.write(new Uint8Array(bytes))
  return { status, end: () => upload.end(`\r\n--${boundary}--\r\n`), destroy: () => upload.destroy() }
}

describe('requests of a tenant in flight', () => {
  test('over the limit are 429; another tenant and an ended request are not affected', async () => {
    const service = await start({ requestsAtOncePerTenant: 2, requestWaitTimeout: 0 })
    const open = [openUpload(service, 100), openUpload(service, 100)]
    await expect.poll(() => service.list('uploads')).toHaveLength(2)
    const refused = await service.request('GET', '/v1/models')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'too_many_requests', param: null })
    expect((await service.request('GET', '/v1/models', undefined, AS_OTHER)).status).toBe(200)
    open[0]?.end()
    expect(await open[0]?.status).toBe(200)
    await expect.poll(async () => (await service.request('GET', '/v1/models')).status).toBe(200)
    open[1]?.destroy()
  })
})

describe('wrong keys', () => {
  test('over the limit are 429; a key that worked before still works', async () => {
    const service = await start({ failedKeysPerMinute: 3 })
    const wrong = (n: number) =>
      service.request('GET', '/v1/models', undefined, { authorization: `Bearer wrong-key-${n}` })
    expect((await service.request('GET', '/v1/models')).status).toBe(200)
    for (let n = 0; n < 3; n += 1) expect((await wrong(n)).status).toBe(401)
    const refused = await wrong(4)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'too_many_failed_keys', param: null })
    expect((await service.request('GET', '/v1/models')).status).toBe(200)
  })
})

describe('uploads in flight', () => {
  test('count toward the quota: the upload that exceeds it is 429 before its end', async () => {
    const service = await start({ storageBytesPerTenant: 100_000 })
    const first = openUpload(service, 60_000)
    await expect.poll(() => service.list('uploads')).toHaveLength(1)
    const second = openUpload(service, 60_000)
    expect(await second.status).toBe(429)
    first.end()
    expect(await first.status).toBe(200)
    expect(await service.list('uploads')).toEqual([])
  })

  test('of transcriptions count too, and free their bytes with their end', async () => {
    const service = await start({ storageBytesPerTenant: 100_000 })
    const first = openUpload(service, 60_000, '/v1/audio/transcriptions')
    await expect.poll(() => service.list('uploads')).toHaveLength(1)
    expect(await openUpload(service, 60_000).status).toBe(429)
    first.destroy()
    await expect.poll(() => service.list('uploads')).toEqual([])
    const third = openUpload(service, 60_000)
    third.end()
    expect(await third.status).toBe(200)
  })
})

describe('the longest output', () => {
  const PAUSES = '[pause 10.0s]'.repeat(1441)

  test('is 4 hours: more pauses are 400 before any work', async () => {
    const service = await start()
    for (const way of [{}, { async: true }, { stream: true, response_format: 'pcm' }]) {
      const refused = await service.request('POST', SPEECH.path, { ...SPEECH.body, ...way, input: `Hello ${PAUSES}` })
      expect(await errorOf(refused)).toEqual({ status: 400, code: 'output_too_long', param: 'input' })
    }
    expect(service.countTasks()).toBe(0)
  })

  test('ends speech that becomes longer; a task fails with output_too_long', async () => {
    const service = await start({ maxOutputSeconds: 2 })
    const body = {
      ...SPEECH.body,
      response_format: 'wav',
      input: 'This sentence is spoken again and again. '.repeat(5),
    }
    expect(await errorOf(await service.request('POST', SPEECH.path, body))).toEqual({
      status: 400,
      code: 'output_too_long',
      param: 'input',
    })
    const made = await service.request('POST', SPEECH.path, { ...body, async: true })
    const { id } = (await made.json()) as { id: string }
    await expect
      .poll(async () => (await service.request('GET', `/v1/audio/tasks/${id}`)).json(), { timeout: 20_000 })
      .toMatchObject({ status: 'FAILED', error: { code: 'output_too_long' } })
    expect(await service.list('results')).toEqual([])
  })

  test('Infinity switches the limit off', async () => {
    const service = await start({ maxOutputSeconds: Infinity })
    const body = { ...SPEECH.body, response_format: 'pcm', stream: true, input: `Hello ${PAUSES}` }
    const response = await service.request('POST', SPEECH.path, body)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })
})
