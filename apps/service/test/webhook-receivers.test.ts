import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTaskStore } from '../src/drivers/postgres/task-store.ts'
import { createWebhookOutbox } from '../src/drivers/postgres/webhook-outbox.ts'
import { openPglite } from './postgres/stores.ts'
import { createFakeServices, type FakeServices } from './support/fake-services.ts'
import { callReceivers, percentile95 } from './support/webhook-receivers.ts'

const LOAD = { hanging: 60, redirecting: 60, good: 20 }

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
})
afterEach(() => services.close())

describe('beside a receiver that hangs and one that redirects, a good one of the same tenant is called soon', () => {
  test('in SQLite', async () => {
    const delays = await callReceivers(services, services.stores, LOAD)
    expect(delays).toHaveLength(LOAD.good)
    expect(percentile95(delays)).toBeLessThan(2000)
  })

  test('in PostgreSQL', async () => {
    const database = await openPglite()
    const now = () => services.clock.now()
    const stores = { tasks: createTaskStore(database, { now }), outbox: createWebhookOutbox(database, now) }
    const delays = await callReceivers(services, stores, LOAD)
    await database.destroy()
    expect(delays).toHaveLength(LOAD.good)
    expect(percentile95(delays)).toBeLessThan(2000)
  })
})
