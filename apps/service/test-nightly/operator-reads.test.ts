import { expect, test } from 'vitest'
import { openPostgres } from '../src/drivers/postgres/database.ts'
import { migrate } from '../src/drivers/postgres/migrate.ts'
import { fillWithWork, OPERATOR_READS } from '../test/postgres/operator-reads.ts'
import { startPostgres } from '../test/postgres/server.ts'

/** Ended tasks. */
const ENDED = Number(process.env['OPERATOR_ROWS'] ?? 20_000_000)

/** Waiting tasks, responses, files, objects and webhooks: rows of each. */
const OTHERS = Math.ceil(ENDED / 10)

test(`each command of an operator, a scrape and the autoscaler take less than a second with ${ENDED} ended tasks`, async () => {
  const server = await startPostgres([
    'fsync=off',
    'shared_buffers=1GB',
    'max_wal_size=8GB',
    'maintenance_work_mem=512MB',
    'wal_level=minimal',
    'max_wal_senders=0',
    'autovacuum=off',
  ])
  const database = await openPostgres({ url: server.url, connections: 1, patient: true, onError: () => undefined })
  try {
    await migrate(database)
    await fillWithWork(database, { ended: ENDED, others: OTHERS, tenants: 3000 })
    const times: Record<string, number> = {}
    for (const [name, read] of Object.entries(OPERATOR_READS)) {
      const started = performance.now()
      await read(database)
      times[name] = Math.round(performance.now() - started)
    }
    console.log(`${ENDED} ended tasks, ${OTHERS} rows of each other kind, milliseconds: ${JSON.stringify(times)}`)
    expect(Object.entries(times).filter(([, milliseconds]) => milliseconds >= 1000)).toEqual([])
  } finally {
    await database.destroy()
    await server.stop()
  }
}, 7_200_000)
