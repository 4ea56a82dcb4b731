import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestUpstream, hold, status } from '../src/index.ts'
import { RawClient } from './support/raw-client.ts'
import { call, callJson, connect, form, SPEECH, start } from './support/start.ts'

const ROUTE = 'POST /v1/audio/speech'

test('only one key is accepted', async () => {
  const upstream = await start({ apiKey: 'svc-secret-4f1c' })
  upstream.on(ROUTE, status(200))
  for (const authorization of ['Bearer svc-secret-4f1', 'svc-secret-4f1c', '']) {
    const response = await callJson(upstream, ROUTE, SPEECH, { headers: { authorization } })
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } })
  }
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(200)
  expect(upstream.requests.map(({ authorized }) => authorized)).toEqual([false, false, false, true])
})

test('no recorded request contains a key', async () => {
  const upstream = await start({ apiKey: 'svc-secret-4f1c' })
  await call(upstream, ROUTE, SPEECH)
  expect(upstream.requests[0]?.headers['authorization']).toBe('Bearer [redacted]')
  expect(JSON.stringify(upstream.requests)).not.toContain('svc-secret')
})

test('a request without its key does not use up a response', async () => {
  const upstream = await start()
  upstream.next(ROUTE, status(503))
  await call(upstream, ROUTE, SPEECH, { headers: {} })
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(503)
})

test('the responses of next come in order, before those of on', async () => {
  const upstream = await start()
  upstream.on('*', status(418)).on(ROUTE, status(500)).next(ROUTE, status(501), status(502)).next('*', status(503))
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) statuses.push((await call(upstream, ROUTE, SPEECH)).status)
  expect(statuses).toEqual([501, 502, 503, 500])
  expect((await call(upstream, 'GET /v1/models')).status).toBe(418)
  upstream.next(ROUTE, status(504)).reset()
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(200)
})

test('a path with an id has one route', async () => {
  const upstream = await start()
  upstream.on('GET /v1/files/{file_id}', status(410))
  expect((await call(upstream, 'GET /v1/files/a%2Fb')).status).toBe(410)
  expect((await call(upstream, 'GET /v1/files')).status).toBe(200)
})

test('an unknown path is a 404, an unknown method a 405', async () => {
  const upstream = await start()
  expect(await callJson(upstream, 'GET /v1/audio/voices/voice-1')).toMatchObject({ status: 404 })
  const response = await call(upstream, 'DELETE /v1/audio/voices')
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET'])
  expect(upstream.requests.map(({ route }) => route)).toEqual([undefined, undefined])
})

test('a body that is neither JSON nor a form is refused and recorded', async () => {
  const upstream = await start()
  const headers = { authorization: `Bearer ${upstream.apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${upstream.url}/v1/audio/speech`, { method: 'POST', headers, body: '{"half":' })
  expect(response.status).toBe(400)
  expect(upstream.requests[0]).toMatchObject({ malformed: 'The body is not JSON', content: Buffer.from('{"half":') })
})

test.each([
  ['multipart/form-data', 'x', 'Multipart: Boundary not found'],
  ['multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="file"', 'Unexpected end of form'],
  [
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nhalf a file',
    'Unexpected end of form',
  ],
])('a form of type %s with the body %j is malformed', async (type, body, malformed) => {
  const upstream = await start()
  const headers = { authorization: `Bearer ${upstream.apiKey}`, 'content-type': type }
  const response = await fetch(`${upstream.url}/v1/files`, { method: 'POST', headers, body })
  expect([response.status, upstream.requests[0]?.malformed]).toEqual([415, malformed])
})

test('a large file is counted and hashed, not stored', async () => {
  const upstream = await start({ keepBytes: 1000 })
  const large = new Uint8Array(3_000_000).map((_, index) => index % 251)
  const stored = await callJson(upstream, 'POST /v1/files', form('file', large))
  expect(stored).toMatchObject({ status: 200, body: { bytes: 3_000_000 } })
  const [file] = upstream.requests[0]?.form?.files ?? []
  expect(file).toEqual({
    field: 'file',
    filename: 'sample.wav',
    contentType: 'audio/wav',
    bytes: 3_000_000,
    sha256: createHash('sha256').update(large).digest('hex'),
  })
})

test('a form may have several files and repeated fields', async () => {
  const upstream = await start()
  const data = form('file', new Uint8Array(3), { purpose: 'naïve ✓' })
  data.append('file', new Blob([new Uint8Array(0)]), '../b ü.wav')
  data.append('purpose', 'second')
  await call(upstream, 'POST /v1/files', data)
  expect(upstream.requests[0]?.form).toMatchObject({
    fields: { purpose: ['naïve ✓', 'second'] },
    files: [{ bytes: 3 }, { bytes: 0, filename: '../b ü.wav' }],
  })
})

test('waitForRequest returns a request before it is answered', async () => {
  const upstream = await start()
  const held = hold()
  upstream.on(ROUTE, held)
  const waiting = [upstream.waitForRequest('GET /v1/models'), upstream.waitForRequest(), upstream.waitForRequest(ROUTE)]
  const responses = [1, 2].map((input) => call(upstream, ROUTE, { ...SPEECH, input: String(input) }))
  await (await call(upstream, 'GET /v1/models')).text()
  const found = await Promise.all(waiting)
  expect(new Set(found).size).toBe(3)
  expect(found[0]?.route).toBe('GET /v1/models')
  held.release()
  await Promise.all(responses)
})

test('a wait ends with its signal or with the upstream', async () => {
  const upstream = await start()
  const controller = new AbortController()
  const aborted = upstream.waitForRequest('*', { signal: controller.signal })
  const closed = upstream.waitForRequest()
  controller.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  const [lost] = await Promise.allSettled([closed, upstream.close()])
  expect(lost).toMatchObject({ status: 'rejected', reason: { message: 'The test upstream was closed' } })
})

test('how a request ended is recorded', async () => {
  const upstream = await start()
  await (await call(upstream, 'GET /v1/models')).text()
  upstream.on('GET /v1/models', hold())
  const [first] = upstream.requests
  expect(await first?.closed()).toBe('finished')
  const controller = new AbortController()
  const left = call(upstream, 'GET /v1/models', undefined, { signal: controller.signal })
  const second = await upstream.waitForRequest(({ ended }) => ended === undefined)
  controller.abort()
  await expect(left).rejects.toThrow('aborted')
  expect(await second.closed()).toBe('closedByClient')
  const cut = call(upstream, 'GET /v1/models')
  const third = await upstream.waitForRequest(({ ended }) => ended === undefined)
  await Promise.all([upstream.close(), expect(cut).rejects.toThrow('fetch failed')])
  expect(await third.closed()).toBe('closedByUpstream')
})

test('a body that breaks off is known by its bytes', async () => {
  const upstream = await start()
  const client = new RawClient(upstream).ask(upstream, '{"half":', 1000)
  const request = await upstream.waitForRequest()
  await request.received(8)
  client.socket.destroy()
  await expect(request.received()).rejects.toThrow('The body of POST /v1/audio/speech ended after 8 bytes')
  expect(await request.received(5)).toBe(request)
  expect(request).toMatchObject({ bytes: 8, complete: false, ended: 'closedByClient' })
  expect(request).not.toHaveProperty('json')
})

test('open connections are counted, and idle resolves when all have closed', async () => {
  const upstream = await start()
  const client = connect(upstream)
  await client.models.list()
  expect(upstream.connections).toBe(1)
  await Promise.all([client.close(), upstream.idle()])
  expect(upstream.connections).toBe(0)
})

test('an upstream closes with its block, and may be closed twice', async () => {
  let url: string
  {
    await using upstream = await createTestUpstream()
    url = upstream.url
    expect((await call(upstream, 'GET /v1/models')).status).toBe(200)
    await upstream.close()
  }
  await expect(fetch(`${url}/v1/models`)).rejects.toThrow('fetch failed')
})

test('every response has a different id', async () => {
  const upstream = await start()
  const ids = new Set<string | null>()
  for (let count = 0; count < 3; count += 1)
    ids.add((await call(upstream, 'GET /v1/models')).headers.get('x-request-id'))
  expect(ids.size).toBe(3)
})

test('polls and chunkBytes below 1 are refused', async () => {
  await expect(createTestUpstream({ polls: 0 })).rejects.toThrow('`polls` must be a positive integer, got 0')
  await expect(createTestUpstream({ chunkBytes: 0 })).rejects.toThrow(
    '`chunkBytes` must be a positive integer of bytes, got 0',
  )
})
