import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ExchangeLog } from '../inspector/exchange.ts'
import { createPanelClient, resultAddress } from './client.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

vi.mock('../shell/connection.ts', () => ({
  checkConnection: vi.fn<() => void>(),
  connection: { get: () => ({ address: 'http://192.168.0.7:8787/audio' }) },
}))

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://localhost:5173/speak', origin: 'http://localhost:5173' })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test.each([
  ['http://127.0.0.1:5173/api/v1/audio/results/a.mp3?token=b', '/api/v1/audio/results/a.mp3?token=b'],
  ['/api/v1/audio/results/a.mp3', '/api/v1/audio/results/a.mp3'],
  ['http://192.168.0.7:8787/audio/v1/audio/results/a.mp3?token=b', '/api/v1/audio/results/a.mp3?token=b'],
  ['http://192.168.0.7:8787/v1/audio/results/a.mp3', 'http://192.168.0.7:8787/v1/audio/results/a.mp3'],
  ['https://cdn.example/results/a.mp3?sig=1', 'https://cdn.example/results/a.mp3?sig=1'],
  ['https://cdn.example/api/v2/a.mp3', 'https://cdn.example/api/v2/a.mp3'],
])('the result %s is read at %s', (url, address) => {
  expect(resultAddress(url)).toBe(address)
})

test("a panel's client calls the playground's server, and its requests are in the log", async () => {
  const urls: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    urls.push(url)
    return Response.json({ object: 'list', data: [] })
  })
  const log = new ExchangeLog()
  await createPanelClient(log).models.list()
  expect(urls).toEqual(['http://localhost:5173/api/v1/models'])
  expect(log.find(1)).toMatchObject({ method: 'GET', path: '/v1/models', status: 200 })
})

test.each([429, 503])('a %d is shown and not retried', async (status) => {
  let calls = 0
  vi.stubGlobal('fetch', async () => {
    calls += 1
    return Response.json({ error: { code: 'busy', message: 'Wait' } }, { status, headers: { 'retry-after': '0' } })
  })
  await expect(createPanelClient(new ExchangeLog()).models.list()).rejects.toMatchObject({ status })
  expect(calls).toBe(1)
})
