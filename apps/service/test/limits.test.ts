import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../src/index.ts'
import { DIALOGUE, GENERATION, SPEECH as speechRequest } from './support/requests.ts'
import { errorOf, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

/** A busy machine needs more than the default. */
const PATIENCE = { timeout: 20_000 }

const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

async function start(options: Partial<ServiceOptions>): Promise<TestService> {
  const service = await startTestService(options)
  services.push(service)
  return service
}

const SPEECH = { ...speechRequest.body, input: 'Hello there.' }
const AS_OTHER = { authorization: `Bearer ${OTHER_KEY}` }

describe('requests a minute', () => {
  test("requests over a key's limit are 429 with Retry-After; other keys are not affected", async () => {
    const service = await start({ requestsPerMinute: 3 })
    for (const left of ['2', '1', '0']) {
      const response = await service.request('GET', '/v1/models')
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ratelimit-remaining')).toBe(left)
      await response.text()
    }
    const refused = await service.request('GET', '/v1/models')
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'rate_limited', param: null })
    expect((await service.request('GET', '/v1/models', undefined, AS_OTHER)).status).toBe(200)
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(service.url + path)).status).toBe(200)
  })

  test('a repeated request counts too, although it returns the stored result', async () => {
    const service = await start({ requestsPerMinute: 2 })
    const same = { 'idempotency-key': 'same' }
    const responses: [number, string | null, Buffer][] = []
    for (let sent = 0; sent < 2; sent += 1) {
      const response = await service.request('POST', '/v1/audio/speech', SPEECH, same)
      const bytes = Buffer.from(await response.arrayBuffer())
      responses.push([response.status, response.headers.get('x-ratelimit-remaining'), bytes])
    }
    const [[, , spoken] = []] = responses
    expect(responses).toEqual([
      [200, '1', spoken],
      [200, '0', spoken],
    ])
    const refused = await service.request('POST', '/v1/audio/speech', SPEECH, same)
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'rate_limited', param: null })
  })

  test('an unknown key is always refused as unknown', async () => {
    const service = await start({ requestsPerMinute: 1 })
    for (let n = 0; n < 3; n += 1) {
      const response = await service.request('GET', '/v1/models', undefined, { authorization: 'Bearer unknown-key' })
      expect(response.status).toBe(401)
    }
  })

  test('no limit applies by default', async () => {
    const service = await start({})
    const response = await service.request('GET', '/v1/models')
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
  })
})

describe('the storage quota of a tenant', () => {
  test('a result beyond the quota is 429 and stores nothing; other tenants are not affected', async () => {
    const service = await start({ storageBytesPerTenant: 40_000 })
    const body = { ...SPEECH, response_format: 'wav', delivery_method: 'url' }
    const long = { ...body, input: 'This is a text that becomes far too long for so little room. '.repeat(3) }
    const refused = await service.request('POST', '/v1/audio/speech', long)
    expect(refused.headers.get('retry-after')).toBe('600')
    expect(await errorOf(refused)).toEqual({ status: 429, code: 'storage_quota_exceeded', param: null })
    expect(await readdir(join(service.dataDir, 'results'))).toEqual([])
    expect((await service.request('POST', '/v1/audio/speech', body)).status).toBe(200)
    const second = await service.request('POST', '/v1/audio/speech', body)
    expect((await errorOf(second)).code).toBe('storage_quota_exceeded')
    expect((await service.request('POST', '/v1/audio/speech', body, AS_OTHER)).status).toBe(200)
    expect(await service.list('results')).toHaveLength(2)
  })

  test('audio without storage needs no room', async () => {
    const service = await start({ storageBytesPerTenant: 1 })
    const response = await service.request('POST', '/v1/audio/speech', { ...SPEECH, response_format: 'wav' })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000)
  })

  test('a file of an asynchronous transcription beyond the quota is 429, and no task is created', async () => {
    const service = await start({ storageBytesPerTenant: 1000 })
    const form = new FormData()
    form.set('model', 'svc-transcribe-1.0')
    form.set('async', 'true')
    form.set('file', new Blob([new Uint8Array(2000)]), 'a.wav')
    const refused = await service.request('POST', '/v1/audio/transcriptions', form)
    expect((await errorOf(refused)).code).toBe('storage_quota_exceeded')
    expect(service.countTasks()).toBe(0)
    expect(await service.list('inputs')).toEqual([])
    expect(await service.list('uploads')).toEqual([])
  })

  test.each([speechRequest, DIALOGUE, GENERATION])(
    '$path creates neither file nor task without room',
    async ({ path, body }) => {
      const service = await start({ storageBytesPerTenant: 1000 })
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(1000)]), 'a.wav')
      expect((await service.request('POST', '/v1/files', form)).status).toBe(200)
      for (const way of [{ async: true }, { delivery_method: 'url' }]) {
        const refused = await service.request('POST', path, { ...body, ...way })
        expect(await errorOf(refused)).toEqual({ status: 429, code: 'storage_quota_exceeded', param: null })
      }
      expect(await service.list('results')).toEqual([])
    },
  )

  test('stored data still counts after a restart', async () => {
    const first = await startTestService({ storageBytesPerTenant: 40_000 })
    const body = { ...SPEECH, response_format: 'wav', delivery_method: 'url' }
    expect((await first.request('POST', '/v1/audio/speech', body)).status).toBe(200)
    await first.stop()
    const second = await start({ dataDir: first.dataDir, storageBytesPerTenant: 10_000 })
    expect((await second.request('POST', '/v1/audio/speech', body)).status).toBe(429)
  })
})

describe('uploaded files', () => {
  const file = (bytes: number): FormData => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), 'a.wav')
    return form
  }

  test('count until they are deleted, and deletion frees their bytes at once', async () => {
    const service = await start({ storageBytesPerTenant: 1000 })
    const kept = await service.request('POST', '/v1/files', file(900))
    const { id } = (await kept.json()) as { id: string }
    const refused = await service.request('POST', '/v1/files', file(200))
    expect((await errorOf(refused)).code).toBe('storage_quota_exceeded')
    expect(await readdir(join(service.dataDir, 'files'))).toEqual([id])
    expect((await service.request('DELETE', `/v1/files/${id}`)).status).toBe(200)
    expect(await readdir(join(service.dataDir, 'files'))).toEqual([])
    expect((await service.request('POST', '/v1/files', file(200))).status).toBe(200)
  })

  test('may have a lower limit than the interface: more is 413 wherever a file is sent', async () => {
    const service = await start({ maxUploadBytes: 1024 * 1024 })
    for (const [path, bytes] of [
      ['/v1/files', 1024 * 1024 + 1],
      ['/v1/audio/transcriptions', 3 * 1024 * 1024],
    ] as const) {
      const response = await service.request('POST', path, file(bytes))
      expect(await errorOf(response)).toEqual({ status: 413, code: 'file_too_large', param: 'file' })
    }
    expect((await service.request('POST', '/v1/files', file(1024 * 1024))).status).toBe(200)
    expect(await service.list('uploads')).toEqual([])
  })

  test('are deleted after success if set so, also after synchronous and streamed transcriptions', async () => {
    const service = await start({ deleteAfterSuccess: true })
    const speech = await service.audio.speech.create({ ...SPEECH, response_format: 'wav' })
    const wav = await speech.bytes()
    for (const body of [{ model: 'svc-transcribe-1.0' }, { model: 'svc-transcribe-diarize-pro', stream: true }]) {
      const form = new FormData()
      form.set('file', new Blob([wav]), 'a.wav')
      const { id } = (await (await service.request('POST', '/v1/files', form)).json()) as { id: string }
      const response = await service.request('POST', '/v1/audio/transcriptions', { ...body, file_id: id })
      expect(response.status).toBe(200)
      await response.text()
      // A stream ends before its clean-up.
      await expect.poll(async () => (await service.request('GET', `/v1/files/${id}`)).status, PATIENCE).toBe(404)
      await expect.poll(() => readdir(join(service.dataDir, 'files')), PATIENCE).toEqual([])
    }
  })
})

test('a tenant at its limit of open tasks gets 429; other tenants are not affected', async () => {
  const service = await start({ openTasksPerTenant: 1, tasksAtOnce: 1 })
  const long = { ...SPEECH, input: 'This is a long text to be spoken. '.repeat(200), async: true }
  expect((await service.request('POST', '/v1/audio/speech', long)).status).toBe(200)
  const refused = await service.request('POST', '/v1/audio/speech', { ...SPEECH, async: true })
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'too_many_tasks' })
  expect((await service.request('POST', '/v1/audio/speech', { ...SPEECH, async: true }, AS_OTHER)).status).toBe(200)
})

test('a task that would wait longer than the limit gets 429 with Retry-After; other tenants are not affected', async () => {
  const service = await start({ maxQueueSeconds: 1, tasksAtOnce: 1, stopTimeout: 0 })
  const long = { ...SPEECH, input: 'This is a long text to be spoken. '.repeat(500), async: true }
  let refused: Response | undefined
  for (let n = 0; n < 100 && refused === undefined; n += 1) {
    const response = await service.request('POST', '/v1/audio/speech', long)
    if (response.status === 200) await sleep(200)
    else refused = response
  }
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await errorOf(refused ?? new Response())).toMatchObject({ status: 429, code: 'queue_too_long' })
  expect((await service.request('POST', '/v1/audio/speech', { ...SPEECH, async: true }, AS_OTHER)).status).toBe(200)
})

test('the longest input can be set, and its JSON is accepted with any escapes', async () => {
  const service = await start({ maxInputCharacters: 300_000 })
  const input = '\\u0061'.repeat(300_001)
  const response = await fetch(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: AS_OTHER.authorization, 'content-type': 'application/json' },
    body: `{"model":"svc-tts-1.5-flash","voice_id":"rms","input":"${input}"}`,
  })
  expect(await errorOf(response)).toEqual({ status: 400, code: 'input_too_long', param: 'input' })
})
