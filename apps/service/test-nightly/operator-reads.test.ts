import { expect, test } from 'vitest'
import { openPostgres } from '../src/drivers/postgres/database.ts'
import { migrate } from '../src/drivers/postgres/migrate.ts'
import { fillWithWork, OPERATOR_READS } from '../test/postgres/operator-reads.ts'
import { startPostgres } from '../test/postgres/server.ts'

/** Rows of each table: ended tasks and waiting ones, responses, files, objects and webhooks. */
const AMOUNT = Number(process.env['OPERATOR_ROWS'] ?? 20_000_000)

test(`each command of an operator, a scrape and the autoscaler take less than a second with ${AMOUNT} rows of each kind`, async () => {
  const server = await startPostgres([
    'fsync=off',
    'shared_buffers=1GB',
    'max_wal_size=8GB',
    'maintenance_work_mem=512MB',
  ])
  const database = await openPostgres({ url: server.url, connections: 1, patient: true, onError: () => undefined })
  try {
    await migrate(database)
    await fillWithWork(database, { amount: AMOUNT, tenants: 3000 })
    const times: Record<string, number> = {}
    for (const [name, read] of Object.entries(OPERATOR_READS)) {
      const started = performance.now()
      await read(database)
      times[name] = Math.round(performance.now() - started)
    }
    console.log(`${AMOUNT} rows of each kind, milliseconds: ${JSON.stringify(times)}`)
    expect(Object.entries(times).filter(([, milliseconds]) => milliseconds >= 1000)).toEqual([])
  } finally {
    await database.destroy()
    await server.stop()
  }
}, 7_200_000)
