import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPostgres } from '../src/drivers/postgres/database.ts'
import { migrate } from '../src/drivers/postgres/migrate.ts'
import { createTaskStore } from '../src/drivers/postgres/task-store.ts'
import { createWebhookOutbox } from '../src/drivers/postgres/webhook-outbox.ts'
import { startPostgres } from '../test/postgres/server.ts'
import { createFakeServices, type FakeServices } from '../test/support/fake-services.ts'
import { callReceivers, percentile95 } from '../test/support/webhook-receivers.ts'

const LOAD = { hanging: 1000, redirecting: 1000, good: 100 }

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
})
afterEach(() => services.close())

test('1,000 calls to a receiver that hangs and 1,000 that are redirected delay no good one, in SQLite', async () => {
  const delays = await callReceivers(services, services.stores, LOAD)
  expect(delays).toHaveLength(LOAD.good)
  expect(percentile95(delays)).toBeLessThan(2000)
})

test('nor in PostgreSQL', async () => {
  const server = await startPostgres(['fsync=off'])
  const database = await openPostgres({ url: server.url, onError: () => {} })
  try {
    await migrate(database)
    const now = () => services.clock.now()
    const stores = { tasks: createTaskStore(database, { now }), outbox: createWebhookOutbox(database, now) }
    const delays = await callReceivers(services, stores, LOAD)
    expect(delays).toHaveLength(LOAD.good)
    expect(percentile95(delays)).toBeLessThan(2000)
  } finally {
    await database.destroy()
    await server.stop()
  }
})
