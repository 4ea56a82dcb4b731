import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { systemClock } from '../src/domain/clock.ts'
import { openPostgres, type PostgresDatabase, sharePostgres } from '../src/drivers/postgres/database.ts'
import { createLeaderLock } from '../src/drivers/postgres/locks.ts'
import { migrate } from '../src/drivers/postgres/migrate.ts'
import { createStorageLedger } from '../src/drivers/postgres/storage-ledger.ts'
import { createTaskStore } from '../src/drivers/postgres/task-store.ts'
import { createFileStore } from '../src/drivers/sql/file-store.ts'
import { createResponseStore } from '../src/drivers/sql/response-store.ts'
import type { StorageArea } from '../src/ports/storage-ledger.ts'
import { createTenantObjects } from '../src/use-cases/objects.ts'
import { sweep } from '../src/use-cases/sweep.ts'
import { bucketOf } from '../test/postgres/bucket.ts'
import { fillWithExpired, longestWrite, watchStatements } from '../test/postgres/expired-rows.ts'
import { startPostgres } from '../test/postgres/server.ts'
import { changed, createFakeServices, wholeReserve } from '../test/support/fake-services.ts'

/** Expired rows of each kind: tasks with a key, a webhook and a result; files; responses; requests. */
const AMOUNT = Number(process.env['EXPIRED_ROWS'] ?? 5_000_000)

const DAY = 86_400_000
const LIFETIMES = { uploads: DAY, inputs: DAY, failedRequests: DAY, results: DAY, responses: DAY, audit: DAY }

/** Accepts, claims and ends tasks, ten in a second. @returns The times of accept and of claim, in milliseconds */
async function useQueue(
  database: PostgresDatabase,
  until: () => boolean,
): Promise<Record<'accept' | 'claim', number[]>> {
  const tasks = createTaskStore(database)
  const times: Record<'accept' | 'claim', number[]> = { accept: [], claim: [] }
  for (let n = 0; !until(); n += 1) {
    const started = performance.now()
    const tenant = `t${n % 10}`
    await tasks.accept({ id: `live-${crypto.randomUUID()}`, tenant, kind: 'audio.speech', model: 'm', request: {} })
    const accepted = performance.now()
    const claim = await tasks.claim(30_000)
    times.accept.push(accepted - started)
    times.claim.push(performance.now() - accepted)
    if (claim !== undefined) await tasks.succeed(claim, {})
    await sleep(100)
  }
  return times
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? Number.NaN
}

test(`${AMOUNT} expired rows of each kind go at a stated rate, in short statements, beside accepts and claims`, async () => {
  const server = await startPostgres(['fsync=off', 'shared_buffers=512MB', ...watchStatements])
  const options = { url: server.url, connections: 10, onError: () => undefined }
  const database = await openPostgres(options)
  const filling = await openPostgres({ ...options, patient: true })
  const fake = await createFakeServices()
  try {
    await migrate(database)
    await fillWithExpired(filling, { amount: AMOUNT })
    const alone = { since: Date.now() }
    const before = await useQueue(database, () => Date.now() - alone.since > 20_000)
    const ledger = createStorageLedger(database)
    const area = (name: StorageArea) =>
      createTenantObjects({ area: name, ledger, reserve: wholeReserve, store: bucketOf(new Set()) })
    const services = changed(fake, {
      stores: {
        tasks: createTaskStore(database),
        files: createFileStore(sharePostgres(database)),
        responses: createResponseStore(sharePostgres(database)),
        leaderLock: createLeaderLock(database),
        shared: true,
      },
      objects: { inputs: area('inputs'), uploads: area('uploads'), results: area('results') },
      runtime: { clock: systemClock },
    })
    let isDone = false
    const beside = useQueue(database, () => isDone)
    const started = performance.now()
    await sweep(services, LIFETIMES)
    const seconds = (performance.now() - started) / 1000
    isDone = true
    const during = await beside
    const slowest = await longestWrite(database)
    // Tasks, keys, webhooks, failed requests, responses, files, and objects of three areas.
    const rate = Math.round((9 * AMOUNT) / seconds)
    console.log(
      `${AMOUNT} of each kind: ${Math.round(seconds)} s, ${rate} rows per second, slowest write ${Math.round(slowest)} ms, ` +
        `p95 of accept ${p95(before.accept).toFixed(1)} to ${p95(during.accept).toFixed(1)} ms, ` +
        `of claim ${p95(before.claim).toFixed(1)} to ${p95(during.claim).toFixed(1)} ms`,
    )
    const { rows } = await sql<{ left: number }>`SELECT
      (SELECT count(*) FROM svc_audio.tasks WHERE id LIKE 'task%') + (SELECT count(*) FROM svc_audio.files)
      + (SELECT count(*) FROM svc_audio.responses) + (SELECT count(*) FROM svc_audio.objects) AS left`.execute(filling)
    expect(rows[0]?.left).toBe(0)
    expect(slowest).toBeLessThan(1000)
    if (process.env['STATEMENTS'] !== undefined) {
      const top =
        await sql`SELECT calls, round(total_exec_time) AS total, round(max_exec_time) AS max, left(query, 120) AS query
        FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 14`.execute(filling)
      console.log(top.rows.map((row) => JSON.stringify(row)).join('\n'))
    }
  } finally {
    await fake.close()
    await filling.destroy()
    await database.destroy()
    await server.stop()
  }
}, 3_600_000)
