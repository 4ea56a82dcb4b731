import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { manualClock, settled } from './support/manual-clock.ts'
import { startServer } from './support/servers.ts'
import { task, watchPromise } from './support/scripted-tasks.ts'
import { RECEIVER_SECRET, testReceiver } from './support/webhook-calls.ts'
import { TaskWaiter } from '../src/tasks/index.ts'
import { createWebhookReceiver, signWebhook, type WebhookReceiver } from '../src/webhooks/index.ts'

/** All that a server of Node needs to serve a receiver. */
async function serve(receiver: WebhookReceiver, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: Readable.toWeb(request), duplex: 'half' as const }
  const answer = await receiver.handle(new Request(`http://localhost${url}`, { method, headers, ...body }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
}

test('over HTTP, signed callbacks are handled once, and all others are refused', async () => {
  let receiver: WebhookReceiver | undefined
  const server = await startServer((request, response) => receiver && serve(receiver, request, response))
  const signingSecret = `whsec_${btoa('a key of the service, long enough')}`
  const scripted = testReceiver({ url: `${server.url}/hooks/audio`, signingSecret })
  ;({ receiver } = scripted)
  const { url, bind } = await receiver.createCallback({ state: 's' })
  bind('t-1')
  const body = JSON.stringify(task('t-1', 'SUCCESS'))
  const signed = await signWebhook({ id: 'm-1', timestamp: scripted.time.now, body, secret: signingSecret })
  const call = async (address: string, headers: object = {}): Promise<number> =>
    (await fetch(address, { method: 'POST', body, headers: { ...headers } })).status
  expect(await call(url, signed)).toBe(200)
  expect(await call(url, signed)).toBe(200)
  expect(await call(url)).toBe(401)
  expect(await call(`${url}A`, signed)).toBe(401)
  expect(await call(`${server.url}/hooks/audio`, signed)).toBe(401)
  expect((await fetch(url)).status).toBe(405)
  expect(scripted.handled).toMatchObject([{ task: { id: 't-1' }, state: 's' }])
})

test('a callback wakes a wait', async () => {
  const clock = manualClock()
  let over = false
  let reads = 0
  const read = async (id: string) => {
    reads += 1
    return over ? task(id, 'SUCCESS') : task(id, 'PROCESSING', { retry_after: 3600 })
  }
  const waiter = new TaskWaiter({ read, clock })
  const client = { tasks: { retrieve: read, notify: (id: string) => waiter.notify(id) } }
  const receiver = createWebhookReceiver({ client, secret: RECEIVER_SECRET, url: 'https://my.app/hooks' })
  const { url } = await receiver.createCallback()
  const wait = watchPromise(waiter.wait('t'))
  await settled()
  over = true
  expect((await receiver.handle(new Request(url, { method: 'POST', body: '{"id":"t"}' }))).status).toBe(200)
  await settled()
  expect([wait.state, reads, clock.timers(), clock.now()]).toEqual(['resolved', 3, 0, 0])
})

test('no file of the waiter or the receiver imports anything of Node or sets a timer', () => {
  for (const folder of ['tasks', 'webhooks']) {
    const path = new URL(`../src/${folder}/`, import.meta.url)
    const files = readdirSync(path).filter((name) => !name.endsWith('.test.ts'))
    expect(files.length).toBeGreaterThan(4)
    for (const name of files) {
      const source = readFileSync(new URL(name, path), 'utf8')
      expect(source).not.toMatch(/from 'node:|\bset(?:Timeout|Interval|Immediate)\(|\bBuffer\b/)
    }
  }
})
