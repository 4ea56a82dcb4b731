import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimAgain, createFakeServices, type FakeServices } from '../../test/support/fake-services.ts'
import { CALLS_PER_RECEIVER } from '../ports/webhook-outbox.ts'
import { startWorkers, type Workers } from './workers.ts'

let services: FakeServices
let workers: Workers | undefined
beforeEach(async () => {
  services = await createFakeServices()
})
afterEach(async () => {
  services.stop.abort(new Error('stopping'))
  await workers?.stop()
  await services.close()
})

/** Ends tasks of a tenant, each with its own webhook. */
async function end(tenant: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const id = `${tenant}_${n}`
    const webhookUrl = `https://${tenant}.example.com/${id}`
    await services.stores.tasks.accept({ id, tenant, kind: 'audio.speech', model: 'm', request: {}, webhookUrl })
    await services.stores.tasks.succeed(await claimAgain(services), {})
  }
}

test('a tenant with a hanging receiver does not delay others, even if it came first', async () => {
  const hanging = new Set<string>()
  const answered: string[] = []
  services.answer = ({ url }, signal) => {
    if (!url.includes('hangs')) {
      answered.push(url)
      return Promise.resolve(204)
    }
    hanging.add(url)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  await end('hangs', 100)
  workers = startWorkers(services, 1)
  await expect.poll(() => hanging.size).toBe(CALLS_PER_RECEIVER)
  await end('answers', 20)
  services.stores.dispatch.announce('webhook')
  await expect.poll(() => answered.length).toBe(20)
  expect(hanging.size).toBe(CALLS_PER_RECEIVER)
})
