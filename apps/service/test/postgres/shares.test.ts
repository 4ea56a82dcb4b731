import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { simulateHour } from './simulated-hour.ts'

let server: PostgresServer
let database: PostgresDatabase
beforeAll(async () => {
  server = await startPostgres(['fsync=off'])
  database = await openPostgres({ url: server.url, onError: () => {} })
  await migrate(database)
})
afterAll(async () => {
  await database.destroy()
  await server.stop()
})

test('in an hour, each of 200 tenants gets its fair share within 5 %, whatever its tasks cost', async () => {
  const shares = await simulateHour(database, { tenants: 200, workers: 20, costs: [6000, 12_000] })
  expect(shares).toHaveLength(200)
  expect(Math.min(...shares)).toBeGreaterThan(0.95)
  expect(Math.max(...shares)).toBeLessThan(1.05)
})
