import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Services } from '../src/services.ts'
import { createBacklog } from '../src/use-cases/tasks/backlog.ts'
import { createFakeServices, type FakeServices } from './support/fake-services.ts'
import { serveApp } from './support/fake-app.ts'

/** Longest wait of an accepted task, in seconds. */
const MOST_SECONDS = 120

/** Time of a task, in seconds: ten times its estimate. */
const TASK_SECONDS = 5

let services: FakeServices
let app: Awaited<ReturnType<typeof serveApp>>
let keys: Readonly<Record<'first' | 'second', string>>
beforeEach(async () => {
  services = await createFakeServices()
  const {
    stores: { tasks },
    clock,
  } = services
  const limited: Services = {
    ...services,
    stores: { ...services.stores, backlog: createBacklog({ tasks, clock, mostSeconds: MOST_SECONDS }) },
  }
  app = await serveApp(limited)
  const [first, second] = [await services.stores.keys.create('first'), await services.stores.keys.create('second')]
  keys = { first: first.key, second: second.key }
})
afterEach(async () => {
  await app.close()
  await services.close()
})

function request(path: string, tenant: keyof typeof keys, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${keys[tenant]}`, 'content-type': 'application/json' }
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return fetch(`${app.url}${path}`, { headers, ...posted })
}

const TASK = { model: 'svc-tts-1.0-pro', voice_id: 'v', response_format: 'wav', input: 'x'.repeat(1000), async: true }

const order = (tenant: keyof typeof keys = 'first'): Promise<Response> => request('/v1/audio/speech', tenant, TASK)

async function bodyOf(answer: Promise<Response>): Promise<{ readonly id: string; readonly retry_after: number }> {
  const response = await answer
  expect(response.status).toBe(200)
  return (await response.json()) as { readonly id: string; readonly retry_after: number }
}

const stateOf = (id: string) => bodyOf(request(`/v1/audio/tasks/${id}`, 'first'))

/** One worker performs tasks for some seconds. */
async function work(seconds: number): Promise<void> {
  for (let n = 0; n < seconds / TASK_SECONDS; n += 1) {
    const claim = await services.stores.tasks.claim(60_000)
    await services.clock.pass(TASK_SECONDS * 1000)
    if (claim !== undefined) await services.stores.tasks.succeed(claim, {})
  }
}

/** Accepts this many tasks. @returns The last one */
async function fill(tasks: number): Promise<{ readonly id: string; readonly retry_after: number }> {
  for (let n = 1; n < tasks; n += 1) await bodyOf(order())
  return bodyOf(order())
}

test('a queue that is too long responses 429, and accepts again after Retry-After', async () => {
  await fill(40)
  await work(60)
  const refused = await order()
  expect(refused.status).toBe(429)
  const { error } = (await refused.json()) as { readonly error: object }
  const message = 'A task of this account would wait about 140 s, longer than the service allows: retry later'
  expect(error).toEqual({ code: 'queue_too_long', message, type: 'invalid_request_error', param: null })
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBe(28 * TASK_SECONDS - MOST_SECONDS)
  expect((await services.stores.tasks.backlog('speech')).tasks).toBe(28)
  await work(seconds - TASK_SECONDS)
  expect((await order()).status).toBe(429)
  await work(TASK_SECONDS)
  expect((await order()).status).toBe(200)
})

test('a tenant without waiting tasks is accepted, whatever the queue of another', async () => {
  await fill(40)
  await work(60)
  expect((await order()).status).toBe(429)
  expect((await order('second')).status).toBe(200)
})

test('retry_after grows with the wait of a task, and falls as the queue empties', async () => {
  const last = await fill(24)
  expect(last.retry_after).toBe(1)
  await services.clock.pass(30_000)
  // Nothing has ended in that time.
  expect((await stateOf(last.id)).retry_after).toBe(60)
  const seen = []
  for (let n = 0; n < 3; n += 1) {
    await work(30)
    seen.push((await stateOf(last.id)).retry_after)
  }
  expect(seen).toEqual([18, 9, 4])
  expect((await bodyOf(order())).retry_after).toBe(4)
})
