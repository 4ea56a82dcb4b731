import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createWebhookOutbox } from '../../src/drivers/postgres/webhook-outbox.ts'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { START } from '../ports/stores.ts'
import { rowsOf } from './rows-of.ts'
import { emptyTables, openPglite } from './stores.ts'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPglite()
})
afterAll(() => database.destroy())
beforeEach(() => emptyTables(database))

const CALLS = 2

/** Enters calls of tenants: 99 % of the tenants wait for a retry. */
async function fill(tenants: number): Promise<void> {
  await sql`
    WITH ended AS (
      INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT 'task' || n || '_' || c, 'tenant' || n, 'audio.speech', 'SUCCESS', 'm', 0, 0
      FROM generate_series(1, ${tenants}::integer) AS n, generate_series(1, ${CALLS}::integer) AS c
      RETURNING id, tenant
    )
    INSERT INTO svc_audio.webhooks (id, task_id, tenant, url, status, attempts, token, due_ms, created_ms)
    SELECT 'msg' || id, id, tenant, 'https://' || tenant || '.example.com/', 'pending', 3, 0,
      ${START}::bigint + CASE WHEN substr(tenant, 7)::integer % 100 = 1 THEN -1000 ELSE 3600000 END, 0
    FROM ended`.execute(database)
  await sql`ANALYZE`.execute(database)
}

describe('a claim of a webhook', () => {
  test('reads as many rows at 3,000 tenants as at 10, of which 99 % wait for a retry', async () => {
    const read: number[] = []
    for (const tenants of [10, 1000, 3000]) {
      await emptyTables(database)
      await fill(tenants)
      const rows = await rowsOf(database, async (transaction) => {
        const outbox = createWebhookOutbox(transaction, () => START)
        for (let claim = 0; claim < CALLS; claim += 1) expect(await outbox.claim(60_000, { max: 16 })).toBeDefined()
      })
      read.push(rows / CALLS)
    }
    const [few = Number.NaN, ...many] = read
    expect(few).toBeLessThan(60)
    expect(Math.max(...many)).toBeLessThan(1.5 * few)
  })

  test('that finds nothing reads no row of the tenants that wait', async () => {
    await fill(1000)
    await sql`UPDATE svc_audio.webhooks SET due_ms = ${START}::bigint + 3600000`.execute(database)
    const read = await rowsOf(database, async (transaction) => {
      const outbox = createWebhookOutbox(transaction, () => START)
      expect(await outbox.claim(60_000, { max: 16 })).toBeUndefined()
    })
    expect(read).toBeLessThan(20)
  })

  test('finds calls whose receivers had their turn before the clock went back, of every tenant, while it runs', async () => {
    await fill(200)
    await sql`UPDATE svc_audio.webhooks SET due_ms = ${START}::bigint - 1000`.execute(database)
    let now = START + 3_600_000
    const outbox = createWebhookOutbox(database, () => now)
    const claimAll = async (): Promise<number> => {
      let count = 0
      for (let claim = await outbox.claim(1000); claim !== undefined; claim = await outbox.claim(1000)) {
        count += 1
        await outbox.record(claim, { outcome: 'HTTP 500', next: -7_200_000 })
        if (count === 200) break
      }
      return count
    }
    expect(await claimAll()).toBe(200)
    now = START
    expect(await claimAll()).toBe(200)
  })
})
