import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { serverUrl } from '@svc-audio/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { backgroundTimer, disconnectSignal } from './connection.ts'
import { ClientDisconnectedError } from './errors.ts'

afterEach(() => vi.unstubAllGlobals())

test('a background timer does not keep the process running', () => {
  const timer = backgroundTimer(() => {}, 1000)
  expect(timer.hasRef()).toBe(false)
  clearTimeout(timer)
})

test('a background timer works where timers are numbers, as on Workers with an older compatibility date', () => {
  vi.stubGlobal('setTimeout', () => 7)
  expect(backgroundTimer(() => {}, 1000)).toBe(7)
})

/** Runs one request against a handler, on a client that can disconnect. */
async function request(handle: (response: ServerResponse) => void, disconnect: AbortSignal): Promise<void> {
  const server = createServer((_request, response) => handle(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await fetch(serverUrl(server), { signal: disconnect }).then(
    (response) => response.text(),
    () => {},
  )
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

test('a disconnect aborts the signal', async () => {
  const disconnecting = new AbortController()
  const reason = Promise.withResolvers<unknown>()
  await request((response) => {
    const signal = disconnectSignal(response)
    signal.addEventListener('abort', () => reason.resolve(signal.reason))
    disconnecting.abort()
  }, disconnecting.signal)
  expect(ClientDisconnectedError.isInstance(await reason.promise)).toBe(true)
})

test('a complete response does not abort the signal', async () => {
  let signal: AbortSignal | undefined
  await request((response) => {
    signal = disconnectSignal(response)
    response.end('done')
  }, new AbortController().signal)
  expect(signal?.aborted).toBe(false)
})

test('an already closed response counts as disconnected', async () => {
  const disconnecting = new AbortController()
  const signal = Promise.withResolvers<AbortSignal>()
  await request((response) => {
    response.once('close', () => signal.resolve(disconnectSignal(response)))
    disconnecting.abort()
  }, disconnecting.signal)
  expect((await signal.promise).aborted).toBe(true)
})
