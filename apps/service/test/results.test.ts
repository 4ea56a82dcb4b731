import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
let link: string
let whole: Buffer
beforeAll(async () => {
  service = await startTestService()
  const body = { model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms', delivery_method: 'url' }
  const made = await service.request('POST', '/v1/audio/speech', { ...body, response_format: 'wav' })
  link = ((await made.json()) as { url: string }).url
  whole = Buffer.from(await (await fetch(link)).arrayBuffer())
})
afterAll(() => service.close())

const get = (headers: Record<string, string> = {}, method = 'GET') => fetch(link, { method, headers })

test('a result comes whole, with the headers for players and caches', async () => {
  const response = await get()
  expect(response.status).toBe(200)
  expect(whole.subarray(0, 4).toString()).toBe('RIFF')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'content-length': String(whole.length),
    'content-type': 'audio/wav',
    'cross-origin-resource-policy': 'cross-origin',
    etag: expect.stringMatching(/^"[\w-]+"$/),
    'last-modified': expect.stringMatching(/GMT$/),
    'x-content-type-options': 'nosniff',
  })
  expect(response.headers.get('cache-control')).toMatch(/^private, max-age=8\d{4}, immutable$/)
  expect(response.headers.get('content-disposition')).toMatch(/^inline; filename="speech_[\da-f]{32}\.wav"$/)
  expect(response.headers.get('access-control-expose-headers')).toContain('content-range')
})

describe('one range is served', () => {
  const rows: [range: string, from: number, to: number][] = [
    ['bytes=0-0', 0, 1],
    ['bytes=4-11', 4, 12],
    ['bytes=100-', 100, Infinity],
    ['bytes=-10', -10, Infinity],
    ['bytes=0-99999999', 0, Infinity],
    ['bytes=-99999999', 0, Infinity],
  ]
  test.each(rows)('%s', async (range, from, to) => {
    const response = await get({ range })
    const part = Buffer.from(await response.arrayBuffer())
    expect(response.status).toBe(206)
    expect(part.equals(whole.subarray(from, Math.min(to, whole.length)))).toBe(true)
    const start = from < 0 ? whole.length + from : from
    const end = start + part.length - 1
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${whole.length}`)
    expect(response.headers.get('content-length')).toBe(String(part.length))
  })
})

describe('an invalid or multiple range gets everything', () => {
  test.each(['bytes=0-1,5-6', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'items=0-1', 'bytes'])('%s', async (range) => {
    const response = await get({ range })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBe(whole.length)
  })
})

test.each(['bytes=99999999-', 'bytes=-0'])('a range beyond the end is 416 with the size: %s', async (range) => {
  const response = await get({ range })
  expect(response.headers.get('content-range')).toBe(`bytes */${whole.length}`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  // Browsers must not cache an error for a day: it would outlive its cause.
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await errorOf(response)).toMatchObject({ status: 416, code: 'range_not_satisfiable' })
})

test('a range applies only to the version in If-Range', async () => {
  const { headers } = await get({}, 'HEAD')
  const range = 'bytes=0-3'
  for (const version of [headers.get('etag') ?? '', headers.get('last-modified') ?? '']) {
    expect((await get({ range, 'if-range': version })).status).toBe(206)
  }
  for (const version of ['"other"', `W/${headers.get('etag')}`, 'Thu, 01 Jan 1970 00:00:00 GMT']) {
    const response = await get({ range, 'if-range': version })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBe(whole.length)
  }
})

test('an unchanged result is 304 without a body', async () => {
  const etag = (await get({}, 'HEAD')).headers.get('etag') ?? ''
  for (const tags of [etag, `"other", W/${etag}`, '*']) {
    const response = await get({ 'if-none-match': tags })
    expect(response.status).toBe(304)
    expect(response.headers.get('etag')).toBe(etag)
    expect(await response.text()).toBe('')
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
})

test('HEAD returns the headers of GET without a body', async () => {
  const head = await get({}, 'HEAD')
  expect(head.status).toBe(200)
  expect(head.headers.get('content-length')).toBe(String(whole.length))
  expect(head.headers.get('content-type')).toBe('audio/wav')
  expect(await head.text()).toBe('')
  const part = await get({ range: 'bytes=0-9' }, 'HEAD')
  expect(part.status).toBe(206)
  expect(part.headers.get('content-length')).toBe('10')
})

test("the preflight of another site's range request needs no key", async () => {
  const response = await get({ origin: 'https://example.com', 'access-control-request-headers': 'range' }, 'OPTIONS')
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
  expect(response.headers.get('access-control-allow-headers')).toContain('range')
})

test('no other path is open to other sites', async () => {
  const response = await service.request('GET', '/v1/models', undefined, { origin: 'https://example.com' })
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
})

test('a changed link is 404, also with another name or a later time', async () => {
  const url = new URL(link)
  const changes: ((copy: URL) => void)[] = [
    (copy) => copy.searchParams.set('expires', '9999999999'),
    (copy) => copy.searchParams.set('signature', 'AAAA'),
    (copy) => copy.searchParams.delete('signature'),
    (copy) => (copy.pathname = copy.pathname.replace('.wav', '.mp3')),
    (copy) => (copy.pathname = '/v1/audio/results/..%2Fservice.sqlite'),
  ]
  for (const change of changes) {
    const copy = new URL(url)
    change(copy)
    const response = await fetch(copy)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await errorOf(response)).toMatchObject({ status: 404, code: 'result_not_found' })
  }
})

test('another file under the same name has another entity tag', async () => {
  const before = (await get({}, 'HEAD')).headers.get('etag')
  const [name = ''] = await service.list('results')
  await utimes(join(service.dataDir, 'results', name), 1, 1)
  expect((await get({}, 'HEAD')).headers.get('etag')).not.toBe(before)
})

test('links use the public URL if it is set', async () => {
  const other = await startTestService({ publicUrl: 'https://audio.example.com' })
  const body = { model: 'svc-tts-1.5-flash', input: 'Hello.', voice_id: 'rms', delivery_method: 'url' }
  const { url } = (await (await other.request('POST', '/v1/audio/speech', body)).json()) as { url: string }
  expect(url).toMatch(/^https:\/\/audio\.example\.com\/v1\/audio\/results\//)
  // The proxy forwards the path unchanged.
  expect((await fetch(url.replace('https://audio.example.com', other.url))).status).toBe(200)
  await other.close()
})
