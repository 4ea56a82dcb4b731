import { sql } from 'kysely'
import type { PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import type { Claim } from '../../src/ports/task-store.ts'
import { START } from '../ports/stores.ts'
import { emptyTables } from './stores.ts'

/** Options of {@link simulateHour}. */
export interface SimulatedHourOptions {
  readonly tenants: number
  readonly workers: number
  /** Processor times of tasks, in milliseconds. Each tenant has tasks of one of these. */
  readonly costs: readonly number[]
  /** Free workers that claim at the same time. @default 1 */
  readonly atOnce?: number
}

const HOUR_MS = 3_600_000

/**
 * Simulates an hour in which every tenant always has waiting tasks, and each worker needs exactly the estimated time of
 * a task. Only the clock is simulated.
 * @returns the time that each tenant got, as a part of its fair share
 */
export async function simulateHour(database: PostgresDatabase, options: SimulatedHourOptions): Promise<number[]> {
  const { tenants, workers, costs, atOnce = 1 } = options
  const fair = (workers * HOUR_MS) / tenants
  await emptyTables(database)
  await sql`WITH task AS (
      INSERT INTO svc_audio.tasks (id, tenant, kind, status, model, created_at, updated_at)
      SELECT tenant || '-' || n, tenant::text, 'audio.speech', 'PENDING', 'm', 0, 0
      FROM generate_series(0, ${tenants - 1}::integer) AS tenant,
        generate_series(1, 2 + (1.1 * ${fair} / (${[...costs]}::integer[])[1 + tenant % ${costs.length}::integer])::integer) AS n
      ORDER BY n, tenant RETURNING id, tenant, kind
    ) INSERT INTO svc_audio.jobs (task_id, tenant, kind, request, token, attempts, due_ms, created_ms, cost)
    SELECT id, tenant, kind, '{}', 0, 0, 0, 0, (${[...costs]}::integer[])[1 + tenant::integer % ${costs.length}::integer]
    FROM task`.execute(database)
  const costOf = (claim: Claim): number => costs[Number(claim.task.tenant) % costs.length] ?? Number.NaN
  let now = START
  const tasks = createTaskStore(database, { now: () => now })
  const got = Array.from({ length: tenants }, () => 0)
  const running: { readonly claim: Claim; readonly start: number; readonly end: number }[] = []
  const account = (tenant: number, from: number, to: number): void => {
    got[tenant] = (got[tenant] ?? 0) + Math.max(0, Math.min(to, START + HOUR_MS) - from)
  }
  for (;;) {
    while (running.length < workers) {
      const free = Math.min(atOnce, workers - running.length)
      const claims = await Promise.all(Array.from({ length: free }, () => tasks.claim(HOUR_MS)))
      for (const claim of claims) {
        if (claim === undefined) throw new Error('A worker found no task')
        running.push({ claim, start: now, end: now + costOf(claim) })
      }
    }
    running.sort((one, other) => one.end - other.end)
    const next = running.shift()
    if (next === undefined || next.end > START + HOUR_MS) {
      for (const one of next === undefined ? [] : [next, ...running])
        account(Number(one.claim.task.tenant), one.start, one.end)
      return got.map((time) => time / fair)
    }
    now = next.end
    account(Number(next.claim.task.tenant), next.start, next.end)
    await tasks.succeed(next.claim, {})
  }
}
