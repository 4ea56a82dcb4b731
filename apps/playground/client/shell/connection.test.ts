import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ServiceState } from '../../shared/api.ts'

let response: ServiceState | Error | number
let asked: string[]
let hidden: boolean
let onLine: boolean
let visibility: (() => void) | undefined

async function load(): Promise<typeof import('./connection.ts')> {
  return import('./connection.ts')
}

beforeEach(() => {
  vi.resetModules()
  vi.useFakeTimers()
  response = 'up'
  asked = []
  hidden = false
  onLine = true
  visibility = undefined
  const document = {
    get hidden() {
      return hidden
    },
    addEventListener: (_name: string, listener: () => void) => (visibility = listener),
  }
  vi.stubGlobal('document', document)
  vi.stubGlobal('navigator', {
    get onLine() {
      return onLine
    },
  })
  vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
    asked.push(`${method} ${path}`)
    if (response instanceof Error) throw response
    if (typeof response === 'number') return new Response('no', { status: response })
    return Response.json({ service: response, embedded: true })
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test.each([
  ['a service that is down', 'down', 'down'],
  ['a server that does not answer', new Error('refused'), 'unreachable'],
  ['a server that fails', 500, 'unreachable'],
  ['a check that waits behind six long requests', new DOMException('late', 'TimeoutError'), 'silent'],
] as const)('%s is seen, and the epoch grows when the service is back', async (_case, fault, state) => {
  const { checkConnection, connection } = await load()
  await checkConnection()
  expect(connection.get()).toEqual({ state: 'up', embedded: true, epoch: 0 })
  response = fault
  await checkConnection()
  expect(connection.get()).toEqual({ state, embedded: true, epoch: 0 })
  response = 'up'
  await checkConnection()
  expect(connection.get()).toEqual({ state: 'up', embedded: true, epoch: 1 })
})

test('a browser without a network is named, not the playground', async () => {
  const { checkConnection, connection } = await load()
  onLine = false
  response = new TypeError('Failed to fetch')
  await checkConnection()
  expect(connection.get().state).toBe('offline')
})

test('an outage over several states is one epoch', async () => {
  const { checkConnection, connection } = await load()
  for (const state of ['down', 'starting', new Error('refused'), 'starting', 'up', 'up'] as const) {
    response = state
    await checkConnection()
  }
  expect(connection.get().epoch).toBe(1)
})

test('an unchanged connection does not wake its subscribers', async () => {
  const { checkConnection, connection } = await load()
  await checkConnection()
  const listener = vi.fn<() => void>()
  connection.subscribe(listener)
  await checkConnection()
  expect(listener).not.toHaveBeenCalled()
})

test('checks at the same time are one request', async () => {
  const { checkConnection } = await load()
  await Promise.all([checkConnection(), checkConnection(), checkConnection()])
  expect(asked).toEqual(['GET /api/status'])
})

test('Retry asks the server to start the service', async () => {
  const { checkConnection } = await load()
  await checkConnection(true)
  expect(asked).toEqual(['POST /api/status'])
})

test('a service that was away between two checks is back, by its process', async () => {
  const { checkConnection, connection } = await load()
  let process = 7
  vi.stubGlobal('fetch', async () => Response.json({ service: 'up', embedded: true, process }))
  await checkConnection()
  await checkConnection()
  expect(connection.get().epoch).toBe(0)
  process = 8
  await checkConnection()
  await checkConnection()
  expect(connection.get()).toEqual({ state: 'up', embedded: true, epoch: 1 })
})

test('Retry does not wait for a check in flight, whose late response is ignored', async () => {
  const { checkConnection, connection } = await load()
  const slow = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
    asked.push(`${method} ${path}`)
    return method === 'GET' ? slow.promise : Response.json({ service: 'starting', embedded: true })
  })
  const check = checkConnection()
  await Promise.all([checkConnection(true), checkConnection(true), checkConnection()])
  expect(asked).toEqual(['GET /api/status', 'POST /api/status'])
  expect(connection.get().state).toBe('starting')
  slow.resolve(Response.json({ service: 'down', embedded: true }))
  await check
  expect(connection.get().state).toBe('starting')
})

test('a connection that fails is checked sooner than one that works', async () => {
  const { watchConnection } = await load()
  watchConnection()
  await vi.advanceTimersByTimeAsync(700)
  expect(asked).toHaveLength(1)
  response = 'down'
  await vi.advanceTimersByTimeAsync(100)
  expect(asked).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1800)
  expect(asked).toHaveLength(5)
})

test('a hidden page does not check, and checks at once when it is seen', async () => {
  const { watchConnection } = await load()
  hidden = true
  watchConnection()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toHaveLength(1)
  visibility?.()
  expect(asked).toHaveLength(1)
  hidden = false
  visibility?.()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toHaveLength(2)
})

test('a response that is lost on its way holds the banner for about five seconds, no longer', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const late = new AbortController()
    setTimeout(() => late.abort(new DOMException('late', 'TimeoutError')), ms)
    return late.signal
  })
  const { connection, watchConnection } = await load()
  response = 'silent'
  watchConnection()
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.get().state).toBe('silent')
  let isLost = true
  vi.stubGlobal('fetch', async (_path: string, { signal }: { readonly signal: AbortSignal }) => {
    if (!isLost) return Response.json({ service: 'up', embedded: true })
    isLost = false
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  })
  await vi.advanceTimersByTimeAsync(6500)
  expect(connection.get().state).toBe('up')
})
