import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { otherService } from './upstream.ts'

let asked: { readonly url: string; readonly key: string | null }[]
let respond: () => Promise<Response>
let now: number

beforeEach(() => {
  asked = []
  now = 1000
  respond = async () => new Response('{}')
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    asked.push({ url, key: new Headers(init.headers).get('authorization') })
    return respond()
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('a check asks for the models with the key', async () => {
  const service = otherService('https://a.example/audio', 'key')
  expect(await service.state()).toBe('up')
  expect(asked).toEqual([{ url: 'https://a.example/audio/v1/models', key: 'Bearer key' }])
})

test.each([401, 403])('a service that answers %d refuses the key', async (status) => {
  respond = async () => new Response('no', { status })
  expect(await otherService('https://a.example', 'key').state()).toBe('refused')
})

test('a service that accepts the connection and does not answer is silent', async () => {
  respond = async () => {
    throw new DOMException('too late', 'TimeoutError')
  }
  expect(await otherService('https://a.example', 'key').state()).toBe('silent')
})

test.each([404, 429, 500, 503])('a service that answers %d is up: the page shows the refusal', async (status) => {
  respond = async () => new Response('no', { status })
  expect(await otherService('https://a.example', 'key').state()).toBe('up')
})

test('a service that cannot be reached is down', async () => {
  respond = async () => {
    throw new TypeError('fetch failed')
  }
  expect(await otherService('https://a.example', 'key').state()).toBe('down')
})

test('the body of a check is not read', async () => {
  const cancel = vi.fn<() => void>()
  respond = async () => new Response(new ReadableStream({ cancel }))
  await otherService('https://a.example', 'key').state()
  expect(cancel).toHaveBeenCalledOnce()
})

test('a check is used for a moment, by pages at the same time too', async () => {
  const service = otherService('https://a.example', 'key')
  await Promise.all([service.state(), service.state()])
  now += 300
  await service.state()
  expect(asked).toHaveLength(1)
  now += 1
  await service.state()
  expect(asked).toHaveLength(2)
})

test('Retry checks again at once', async () => {
  const service = otherService('https://a.example', 'key')
  respond = async () => {
    throw new TypeError('fetch failed')
  }
  expect(await service.state()).toBe('down')
  respond = async () => new Response('{}')
  expect(await service.state()).toBe('down')
  service.retry()
  expect(await service.state()).toBe('up')
})

test('the playground neither starts nor stops it', async () => {
  const service = otherService('https://a.example', 'key')
  expect([service.embedded, service.pid()]).toEqual([false, undefined])
  await Promise.all([service.ready(), service.close()])
  expect(asked).toEqual([])
})
