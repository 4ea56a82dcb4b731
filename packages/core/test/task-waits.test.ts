import { expect, test } from 'vitest'
import type { ServerResponse } from 'node:http'
import type { AudioClient } from '../src/index.ts'
import { API_KEY, connect, rejection, until } from './support/clients.ts'
import { closedByClient, startServer } from './support/servers.ts'
import { task } from './support/scripted-tasks.ts'

/** The tasks of a client over the real transport, by the real clock. */
const connectWaiter = (baseUrl: string): AudioClient['tasks'] => connect(baseUrl).tasks

const send = (response: ServerResponse, body: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

test('2,000 waits in passing trouble keep 32 reads in flight, and no task is read sooner than its retry_after', async () => {
  const answered = new Map<string, number>()
  const early: string[] = []
  const counts = new Map<string, number>()
  let running = 0
  let most = 0
  const server = await startServer((request, response) => {
    const now = performance.now()
    const id = request.url?.split('/').at(-1) ?? ''
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    if (now - (answered.get(id) ?? -Infinity) < 1000) early.push(id)
    running += 1
    most = Math.max(most, running)
    setTimeout(() => {
      running -= 1
      // Passing trouble for some, by the way.
      if (count === 1 && id.endsWith('7')) response.destroy()
      else if (count === 1 && id.endsWith('9')) response.writeHead(503, { 'retry-after': '1' }).end('<html>')
      else if (count < 3) send(response, task(id, 'PROCESSING', { retry_after: 1 }))
      else send(response, task(id, 'SUCCESS'))
      if (!(count === 1 && id.endsWith('7'))) answered.set(id, performance.now())
    }, 1)
  })
  const ids = Array.from({ length: 2000 }, (_, index) => `t-${index}`)
  const tasks = await connectWaiter(server.url).waitAll(ids)
  expect(tasks.map(({ id }) => id)).toEqual(ids)
  expect(early).toEqual([])
  expect(most).toBeLessThanOrEqual(32)
  expect([...counts.values()].every((count) => count === 3)).toBe(true)
  // A connection that is cut is replaced; the others stay for all of it.
  expect(server.sockets.length).toBeLessThanOrEqual(32 + 200)
  expect(server.sockets.length).toBeGreaterThanOrEqual(200)
})

test('2,000 waits without trouble never open more than 32 sockets in all', async () => {
  const seen = new Set<string>()
  const server = await startServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? ''
    send(response, seen.has(id) ? task(id, 'SUCCESS') : task(id, 'PENDING', { retry_after: 1 }))
    seen.add(id)
  })
  const ids = Array.from({ length: 2000 }, (_, index) => `t-${index}`)
  const outcomes = new Set<string>()
  for await (const outcome of connectWaiter(server.url).asCompleted(ids)) outcomes.add(outcome.task?.id ?? 'failed')
  expect(outcomes).toEqual(new Set(ids))
  expect(server.requests).toHaveLength(4000)
  expect(server.sockets.length).toBeLessThanOrEqual(32)
})

test('an abort during a read closes its connection', async () => {
  let left: Promise<'left'> | undefined
  const server = await startServer((_, response) => {
    left = closedByClient(response)
  })
  const caller = new AbortController()
  const wait = rejection(connectWaiter(server.url).wait('t', { signal: caller.signal }))
  await until(() => left !== undefined)
  caller.abort('mine')
  expect(await wait).toBe('mine')
  expect(await left).toBe('left')
})

test('another waiter resumes a wait that timed out', async () => {
  let over = false
  const server = await startServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? ''
    send(response, over ? task(id, 'SUCCESS', { url: 'u' }) : task(id, 'PROCESSING', { retry_after: 1 }))
  })
  const error = await rejection(connectWaiter(server.url).wait('t', { timeout: 50 }))
  expect(error).toMatchObject({ name: 'TaskTimeoutError', taskId: 't' })
  over = true
  const { taskId } = error as { taskId: string }
  expect(await connectWaiter(server.url).wait(taskId)).toMatchObject({ status: 'SUCCESS', url: 'u' })
})

test('a refused key ends the wait at once, and is in no error', async () => {
  const server = await startServer((_, response) => void response.writeHead(401).end('{"error":{"code":"no_key"}}'))
  const error = await rejection(connectWaiter(server.url).wait('t'))
  expect(error).toMatchObject({ name: 'ApiError', status: 401, code: 'no_key' })
  expect(String(error)).not.toContain(API_KEY)
  expect(server.requests).toHaveLength(1)
})
