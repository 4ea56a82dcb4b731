import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import type { ServiceDatabase } from './service-database.ts'
import { nextCall } from './webhook-outbox.ts'

let folder: string
let database: ServiceDatabase
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  database = openDatabase(join(folder, 'service.sqlite'))
})
afterEach(async () => {
  await database.destroy()
  await rm(folder, { recursive: true })
})

test('a claim searches indexes in each step, and scans no table', async () => {
  const values = { now: 1, milliseconds: 1, max: 16, slow: 0 } as const
  const query = nextCall((name) => sql.lit(values[name as keyof typeof values]))
  const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN ${query}`.execute(database)
  const steps = rows.map(({ detail }) => detail)
  const tables = steps.filter((step) => /webhook/.test(step))
  expect(tables.length).toBeGreaterThan(5)
  for (const step of tables) expect(step).toMatch(/^SEARCH .* USING (?:COVERING )?INDEX /)
  expect(
    steps.filter((step) => step.startsWith('SCAN')).filter((step) => !/levels|offers|CONSTANT|SCAN lane/.test(step)),
  ).toEqual([])
})
