import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { MAX_FILE_BYTES } from '@svc-audio/core/interface'
import type { StoredFile } from '@svc-audio/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorOf, KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

const OTHER = { authorization: `Bearer ${OTHER_KEY}` }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  for (const { id } of await everyFile()) await service.audio.files.delete(id)
})

async function everyFile(): Promise<readonly StoredFile[]> {
  return (await service.audio.files.list({ limit: 200 })).data
}

function form(content: string, fields: Record<string, string> = {}, name = 'talk.wav'): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append('file', new Blob([content]), name)
  return data
}

function upload(content: string, purpose?: string): Promise<StoredFile> {
  const file = { data: Buffer.from(content), name: `${content}.wav` }
  return service.audio.files.create({ file, ...(purpose === undefined ? {} : { purpose }) })
}

/** Sends a form of raw bytes in chunks, until the service stops reading. */
async function sendRaw(headers: Record<string, string | number>, chunks: Iterable<Uint8Array | string>) {
  const request = httpRequest(`${service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'multipart/form-data; boundary=x', ...headers },
  })
  const answered = once(request, 'response')
  // The service hangs up on a refused body.
  request.on('error', () => undefined)
  const over = new AbortController()
  request.once('response', () => over.abort()).once('close', () => over.abort())
  for (const chunk of chunks) {
    if (over.signal.aborted) break
    if (!request.write(chunk)) await once(request, 'drain', { signal: over.signal }).catch(() => undefined)
  }
  const [response] = await answered
  request.destroy()
  return response.statusCode as number
}

const PART = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'

describe('interface: POST /v1/files', () => {
  // rules: file.fields, file-upload.answer, file-upload.purpose, file-upload.multipart
  test('answers with the file object', async () => {
    const before = Math.floor(Date.now() / 1000)
    const file = await service.audio.files.create({
      file: { data: Buffer.from('twelve bytes'), name: 'Gespräch 1.wav' },
      purpose: 'audio',
    })
    expect(file).toEqual({
      id: expect.stringMatching(/^file_[\da-f]{32}$/),
      object: 'file',
      bytes: 12,
      created_at: expect.any(Number),
      filename: 'Gespräch 1.wav',
      purpose: 'audio',
      status: 'processed',
    })
    expect(file.created_at).toBeGreaterThanOrEqual(before)
    expect(await service.list('uploads')).toEqual([])
  })

  // rules: file.purpose-empty
  test('a missing purpose is the empty string, before or after the file', async () => {
    expect((await upload('a')).purpose).toBe('')
    const data = form('b')
    data.append('purpose', 'later')
    const response = await service.request('POST', '/v1/files', data)
    expect(await response.json()).toMatchObject({ purpose: 'later' })
  })

  test('a name loses its folders and everything beyond 255 characters', async () => {
    const named = async (name: string): Promise<string> =>
      ((await (await service.request('POST', '/v1/files', form('x', {}, name))).json()) as StoredFile).filename
    expect(await named('../../etc/passwd')).toBe('passwd')
    expect(await named('x'.repeat(300))).toBe('x'.repeat(255))
  })

  test('an empty file is accepted', async () => {
    const { id, bytes } = await service.audio.files.create({ file: { data: new Uint8Array(0), name: 'a' } })
    expect(bytes).toBe(0)
    expect((await service.audio.files.retrieve(id)).bytes).toBe(0)
  })

  const rows: [rule: string, body: FormData | object, status: number, code: string, param: string | null][] = [
    ['JSON', { file: 'x' }, 415, 'unsupported_media_type', null],
    ['no file', new FormData(), 400, 'missing_required_field', 'file'],
    ['a purpose of 513 characters', form('x', { purpose: 'x'.repeat(513) }), 400, 'field_too_long', 'purpose'],
  ]
  test.each(rows)('%s is refused, and nothing is stored', async (_rule, body, status, code, param) => {
    if (body instanceof FormData && code === 'missing_required_field') body.append('purpose', 'audio')
    const response = await service.request('POST', '/v1/files', body)
    expect(await errorOf(response)).toEqual({ status, code, param })
    expect(await everyFile()).toEqual([])
    expect([...(await service.list('files')), ...(await service.list('uploads'))]).toEqual([])
  })

  test('two purposes are refused', async () => {
    const data = form('x', { purpose: 'one' })
    data.append('purpose', 'two')
    const response = await service.request('POST', '/v1/files', data)
    expect(await errorOf(response)).toEqual({ status: 400, code: 'invalid_type', param: 'purpose' })
  })
})

// rules: limits.file-size, file-upload.streamed
describe('interface: file size limit', () => {
  test('a larger announced length is refused before the body is read', async () => {
    expect(await sendRaw({ 'content-length': MAX_FILE_BYTES + 2 ** 21 }, [PART])).toBe(413)
    expect(await service.list('uploads')).toEqual([])
  })

  test('a larger body is refused while it is read, and nothing is stored', async () => {
    const block = new Uint8Array(1024 * 1024)
    function* body() {
      yield PART
      for (let count = 0; count <= MAX_FILE_BYTES / block.length; count += 1) yield block
      yield '\r\n--x--\r\n'
    }
    expect(await sendRaw({ 'transfer-encoding': 'chunked' }, body())).toBe(413)
    expect([...(await service.list('files')), ...(await service.list('uploads'))]).toEqual([])
    expect(await everyFile()).toEqual([])
  })

  test('a disconnect during an upload leaves nothing', async () => {
    const request = httpRequest(`${service.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'multipart/form-data; boundary=x' },
    })
    request.on('error', () => undefined)
    request.write(`${PART}${'x'.repeat(100_000)}`)
    await expect.poll(() => service.list('uploads')).toHaveLength(1)
    request.destroy()
    await expect.poll(() => service.list('uploads')).toEqual([])
    expect(await everyFile()).toEqual([])
  })
})

describe('interface: GET /v1/files', () => {
  // rules: file-listing.answer, file-listing.limit, file-listing.offset
  test('the newest files come first, page by page', async () => {
    const ids: string[] = []
    for (const content of ['a', 'b', 'c']) ids.unshift((await upload(content)).id)
    const list = await service.audio.files.list()
    expect(list.object).toBe('list')
    expect(list.data.map(({ id }) => id)).toEqual(ids)
    const pages = await Promise.all([0, 1, 2, 3].map((offset) => service.audio.files.list({ limit: 1, offset })))
    expect(pages.map(({ data }) => data[0]?.id)).toEqual([...ids, undefined])
  })

  // rules: file-listing.purpose
  test('purpose filters by the exact marker, also the empty one', async () => {
    await upload('a', 'audio')
    await upload('b', 'Audio')
    await upload('c')
    const named = async (purpose: string) => (await service.audio.files.list({ purpose })).data.map((f) => f.filename)
    expect(await named('audio')).toEqual(['a.wav'])
    expect(await named('')).toEqual(['c.wav'])
    expect(await named('none')).toEqual([])
  })

  test('a page has 100 files by default', async () => {
    for (let count = 0; count < 101; count += 1) await upload('x')
    expect((await service.audio.files.list()).data).toHaveLength(100)
    expect(await everyFile()).toHaveLength(101)
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=100001', 'offset'],
  ])('%s is out of range', async (query, param) => {
    const response = await service.request('GET', `/v1/files?${query}`)
    expect(await errorOf(response)).toEqual({ status: 400, code: 'invalid_range', param })
  })

  test('the ends of the ranges are accepted', async () => {
    for (const query of ['limit=1', 'limit=200', 'offset=0', 'offset=100000']) {
      expect((await service.request('GET', `/v1/files?${query}`)).status).toBe(200)
    }
  })
})

describe('interface: one file', () => {
  // rules: file-retrieval.path, file-deletion.path, file-deletion.fields, file-deletion.effect, file.no-internal-id
  test('is read by its id until it is deleted with its bytes', async () => {
    const file = await upload('a')
    expect(await service.audio.files.retrieve(file.id)).toEqual(file)
    expect(await service.list('files')).toHaveLength(1)
    expect(await service.audio.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
    expect(await service.list('files')).toEqual([])
    for (const method of ['GET', 'DELETE']) {
      const response = await service.request(method, `/v1/files/${file.id}`)
      expect(await errorOf(response)).toEqual({ status: 404, code: 'file_not_found', param: 'file_id' })
    }
  })

  // rules: auth.file-owner, auth.tenant-lists
  test('is invisible to other tenants', async () => {
    const { id } = await upload('a')
    for (const method of ['GET', 'DELETE']) {
      expect((await service.request(method, `/v1/files/${id}`, undefined, OTHER)).status).toBe(404)
    }
    const list = await service.request('GET', '/v1/files', undefined, OTHER)
    expect(await list.json()).toEqual({ object: 'list', data: [] })
    expect((await service.audio.files.retrieve(id)).id).toBe(id)
  })

  test.each(['..%2Fservice.sqlite', '%00', 'file_0'])('%s is not a file', async (id) => {
    expect((await service.request('GET', `/v1/files/${id}`)).status).toBe(404)
    expect((await service.request('DELETE', `/v1/files/${id}`)).status).toBe(404)
  })

  test('survives a restart; a file that the service has not stored is not listed, and stays for the operator', async () => {
    const { writeFile } = await import('node:fs/promises')
    const first = await startTestService()
    const { id } = await first.audio.files.create({ file: { data: Buffer.from('kept'), name: 'a' } })
    await first.stop()
    await writeFile(`${first.dataDir}/files/file_orphan`, 'x')
    const second = await startTestService({ dataDir: first.dataDir })
    try {
      expect((await second.audio.files.retrieve(id)).bytes).toBe(4)
      const { data } = await second.audio.files.list()
      expect(data.map((file) => file.id)).toEqual([id])
      expect(await second.list('files')).toEqual(['file_orphan', id].toSorted())
    } finally {
      await second.close()
    }
  })
})

describe('Idempotency-Key', () => {
  const post = (data: FormData, key: string, headers = {}): Promise<Response> =>
    service.request('POST', '/v1/files', data, { 'idempotency-key': key, ...headers })
  const idOf = async (response: Promise<Response>): Promise<string> =>
    ((await (await response).json()) as StoredFile).id

  test('the same upload is the same file, stored once', async () => {
    const id = await idOf(post(form('a', { purpose: 'p' }), 'k1'))
    expect(await idOf(post(form('a', { purpose: 'p' }), 'k1'))).toBe(id)
    expect(await service.list('files')).toEqual([id])
    const foreign = await idOf(post(form('a', { purpose: 'p' }), 'k1', OTHER))
    expect(foreign).not.toBe(id)
    expect((await service.request('DELETE', `/v1/files/${foreign}`, undefined, OTHER)).status).toBe(200)
  })

  test.each([
    ['other bytes', form('b')],
    ['another purpose', form('a', { purpose: 'p' })],
    ['another name', form('a', {}, 'other.wav')],
  ])('%s under the same key are 409, and nothing is stored', async (what, data) => {
    const key = what.replaceAll(' ', '-')
    const id = await idOf(post(form('a'), key))
    const response = await post(data, key)
    expect(await errorOf(response)).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    expect((await everyFile()).map((file) => file.id)).toEqual([id])
  })

  test("a task's key is not valid for a file, nor the reverse", async () => {
    const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: 'rms', async: true }
    const speak = (key: string) => service.request('POST', '/v1/audio/speech', body, { 'idempotency-key': key })
    expect((await speak('task')).status).toBe(200)
    expect((await post(form('a'), 'task')).status).toBe(409)
    expect((await post(form('a'), 'file')).status).toBe(200)
    expect((await speak('file')).status).toBe(409)
  })

  test.each(['url', 'audio'])('the key of a speech request as %s is not valid for a file', async (delivery) => {
    const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: 'rms', delivery_method: delivery }
    const speak = (key: string) => service.request('POST', '/v1/audio/speech', body, { 'idempotency-key': key })
    const [spoken, uploaded] = [`spoken-${delivery}`, `uploaded-${delivery}`]
    const first = await speak(spoken)
    expect(first.status).toBe(200)
    await first.arrayBuffer()
    expect((await post(form('a'), spoken)).status).toBe(409)
    expect((await post(form('a'), uploaded)).status).toBe(200)
    expect((await speak(uploaded)).status).toBe(409)
    expect(await everyFile()).toHaveLength(1)
  })

  test('stays when its file is deleted: a late repeat does not restore the file', async () => {
    const id = await idOf(post(form('a'), 'again'))
    await service.audio.files.delete(id)
    expect(await idOf(post(form('a'), 'again'))).toBe(id)
    expect(await everyFile()).toEqual([])
    expect(await service.list('files')).toEqual([])
  })

  test('many uploads at once with one key make one file', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => idOf(post(form('a'), 'burst'))))
    expect(new Set(ids).size).toBe(1)
    expect(await service.list('files')).toEqual([ids[0]])
  })
})

test('a quote in a file name arrives, although forms send it as %22', async () => {
  const response = await service.request('POST', '/v1/files', form('x', {}, 'a "quoted" name.wav'))
  expect(await response.json()).toMatchObject({ filename: 'a "quoted" name.wav' })
})
