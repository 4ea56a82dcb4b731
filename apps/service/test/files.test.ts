import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { once } from 'node:events'
import type { StoredFile } from '@svc-audio/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'
import { errorOf } from './support/test-service.ts'

let app: FakeApp
beforeEach(async () => {
  app = await startFakeApp()
})
afterEach(() => app.close())

function form(content: string, fields: Record<string, string> = {}, name = 'talk.wav'): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append('file', new Blob([content]), name)
  return data
}

async function upload(content: string, fields: Record<string, string> = {}, name?: string): Promise<StoredFile> {
  const response = await app.post('/v1/files', form(content, fields, name))
  expect(response.status).toBe(200)
  return (await response.json()) as StoredFile
}

async function listed(query = ''): Promise<readonly StoredFile[]> {
  return ((await (await app.get(`/v1/files?${query}`)).json()) as { data: StoredFile[] }).data
}

/** The names of the stored files, and of files that are still arriving. */
async function onDisk(): Promise<readonly string[]> {
  return [...(await namesIn(app.services.objects.uploads)), ...(await readdir(app.services.objects.uploadFolder))]
}

describe('an uploaded file', () => {
  test('is on the disk once, until it is deleted', async () => {
    const { id } = await upload('twelve bytes')
    expect(await onDisk()).toEqual([id])
    expect((await app.delete(`/v1/files/${id}`)).status).toBe(200)
    expect(await onDisk()).toEqual([])
  })

  test('has its purpose also when that comes after it', async () => {
    const data = form('b')
    data.append('purpose', 'later')
    expect(await (await app.post('/v1/files', data)).json()).toMatchObject({ purpose: 'later' })
  })

  test('may be empty', async () => {
    expect(await upload('')).toMatchObject({ bytes: 0 })
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['x'.repeat(300), 'x'.repeat(255)],
    // Forms send a quote as %22.
    ['a "quoted" name.wav', 'a "quoted" name.wav'],
  ])('of the name %j has the name %j', async (name, stored) => {
    expect(await upload('x', {}, name)).toMatchObject({ filename: stored })
  })

  test.each(['..%2Fservice.sqlite', '%00', 'file_0'])('has no id such as %s', async (id) => {
    expect((await app.get(`/v1/files/${id}`)).status).toBe(404)
    expect((await app.delete(`/v1/files/${id}`)).status).toBe(404)
  })
})

describe('a list of files', () => {
  test('selects those without a purpose by an empty one', async () => {
    for (const purpose of ['audio', 'Audio', '']) await upload('a', { purpose })
    const purposes = async (purpose: string) => (await listed(`purpose=${purpose}`)).map((file) => file.purpose)
    expect([await purposes('audio'), await purposes('')]).toEqual([['audio'], ['']])
  })

  test('has 100 files by default', async () => {
    for (let count = 0; count < 101; count += 1) await upload('x')
    expect(await listed()).toHaveLength(100)
    expect(await listed('limit=200')).toHaveLength(101)
  })

  test('takes the ends of its ranges', async () => {
    for (const query of ['limit=1', 'limit=200', 'offset=0', 'offset=100000']) {
      expect((await app.get(`/v1/files?${query}`)).status).toBe(200)
    }
  })
})

describe('a file that is too large or cut short leaves nothing', () => {
  const PART = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'

  function begin(headers: Record<string, string | number>) {
    const request = httpRequest(`${app.url}/v1/files`, {
      method: 'POST',
      headers: { ...app.first, 'content-type': 'multipart/form-data; boundary=x', ...headers },
    })
    // The service hangs up on a refused body.
    request.on('error', () => undefined)
    request.write(PART)
    return request
  }

  test('by its announced length, before its body is read', async () => {
    const request = begin({ 'content-length': app.services.settings.maxUploadBytes + 2 ** 21 })
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(413)
    request.destroy()
    expect(await onDisk()).toEqual([])
  })

  test('while it is read', async () => {
    const request = begin({ 'transfer-encoding': 'chunked' })
    request.end(`${'x'.repeat(app.services.settings.maxUploadBytes + 1)}\r\n--x--\r\n`)
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(413)
    expect(await onDisk()).toEqual([])
    expect(await listed()).toEqual([])
  })

  test('by a disconnect', async () => {
    const request = begin({})
    request.write('x'.repeat(100_000))
    await expect.poll(onDisk).toHaveLength(1)
    request.destroy()
    await expect.poll(onDisk).toEqual([])
    expect(await listed()).toEqual([])
  })
})

describe('the Idempotency-Key of an upload', () => {
  const post = (data: FormData, key: string, headers = {}): Promise<Response> =>
    app.post('/v1/files', data, { 'idempotency-key': key, ...headers })
  const idOf = async (response: Promise<Response>): Promise<string> =>
    ((await (await response).json()) as StoredFile).id

  test('gives the same file to the same upload, and another one to another tenant', async () => {
    const id = await idOf(post(form('a', { purpose: 'p' }), 'k1'))
    expect(await idOf(post(form('a', { purpose: 'p' }), 'k1'))).toBe(id)
    expect(await onDisk()).toEqual([id])
    expect(await idOf(post(form('a', { purpose: 'p' }), 'k1', app.second))).not.toBe(id)
  })

  test.each([
    ['other bytes', form('b')],
    ['another purpose', form('a', { purpose: 'p' })],
    ['another name', form('a', {}, 'other.wav')],
  ])('refuses %s, and nothing is stored', async (_what, data) => {
    const id = await idOf(post(form('a'), 'k'))
    expect(await errorOf(await post(data, 'k'))).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    expect(await onDisk()).toEqual([id])
  })

  test.each([{ async: true }, { delivery_method: 'url' }, { delivery_method: 'audio' }])(
    'is not that of speech with %j, nor the reverse',
    async (change) => {
      const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: 'v', ...change }
      const speak = async (key: string): Promise<number> => {
        const response = await app.post('/v1/audio/speech', body, { 'idempotency-key': key })
        await response.bytes()
        return response.status
      }
      expect(await speak('speech')).toBe(200)
      expect((await post(form('a'), 'speech')).status).toBe(409)
      expect((await post(form('a'), 'file')).status).toBe(200)
      expect(await speak('file')).toBe(409)
      expect(await listed()).toHaveLength(1)
    },
  )

  test('makes one file of many uploads at once', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => idOf(post(form('a'), 'burst'))))
    expect(new Set(ids).size).toBe(1)
    expect(await onDisk()).toEqual([ids[0]])
  })
})
