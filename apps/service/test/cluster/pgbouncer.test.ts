import { AudioClient } from '@svc-audio/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '../../src/cli/doctor.ts'
import { CLUSTER_CHECKS } from '../../src/cli/doctor-cluster.ts'
import { openPostgres } from '../../src/drivers/postgres/database.ts'
import { findPooler } from '../../src/drivers/postgres/pool.ts'
import { type PgBouncer, startPgBouncer } from '../postgres/pgbouncer.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

const MODES = ['session', 'transaction'] as const
type Mode = (typeof MODES)[number]

let cluster: Cluster
let poolers: Record<Mode, PgBouncer>
beforeAll(async () => {
  cluster = await startCluster()
  const [session, transaction] = await Promise.all(MODES.map((mode) => startPgBouncer(cluster.postgres.port, mode)))
  if (session === undefined || transaction === undefined) throw new Error('No pooler')
  poolers = { session, transaction }
})
afterAll(async () => {
  await cluster.stop()
  await Promise.all(Object.values(poolers).map((pooler) => pooler.stop()))
})

const through = (mode: Mode) => cluster.postgres.url.replace(String(cluster.postgres.port), String(poolers[mode].port))

test('the mode of a pooler is found', async () => {
  expect(await findPooler(cluster.postgres.url)).toBe('none')
  for (const mode of MODES) expect(await findPooler(through(mode))).toBe(mode)
})

test.each(MODES)('behind PgBouncer in %s mode an API process and a worker do their work', async (mode) => {
  const databaseUrlDirect = mode === 'transaction' ? { databaseUrlDirect: cluster.postgres.url } : {}
  const settings = { databaseUrl: through(mode), ...databaseUrlDirect, publicUrl: 'http://127.0.0.1:1' }
  const [api] = await Promise.all([
    cluster.start({ role: 'api', ...settings }),
    cluster.start({ role: 'worker', ...settings }),
  ])
  const client = new AudioClient({ baseUrl: api.url, apiKey: KEYS.first })
  const speech = {
    model: 'svc-tts-1.0-pro',
    input: 'The train leaves.',
    voice_id: 'rms',
    response_format: 'wav',
  } as const
  const ids = await Promise.all(
    Array.from(
      { length: 8 },
      async (_, n) => (await client.speech.createTask(speech, { idempotencyKey: `${mode}-${n % 4}` })).id,
    ),
  )
  expect(new Set(ids).size).toBe(4)
  for (const id of ids) expect((await client.tasks.wait(id)).status).toBe('SUCCESS')
})

test('behind PgBouncer in transaction mode each transaction has its limits', async () => {
  const database = await openPostgres({ url: through('transaction'), isPooled: true, onError: () => {} })
  const limits = await database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ statement: string; lock: string; isolation: string }>`
      SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
        current_setting('transaction_isolation') AS isolation`.execute(transaction)
    return rows[0]
  })
  expect(limits).toEqual({ statement: '10s', lock: '5s', isolation: 'read committed' })
  await database.destroy()
})

test('doctor names the mode, and refuses transaction mode without a direct address', async () => {
  const options = { ...cluster.shared, dataDir: 'none' }
  const checks = CLUSTER_CHECKS.filter(({ name }) => name === 'database')
  const session = await examine({ ...options, databaseUrl: through('session') }, checks)
  expect(session.report).toContain('behind a connection pooler in session mode')
  const transaction = await examine({ ...options, databaseUrl: through('transaction') }, checks)
  expect(transaction).toMatchObject({ healthy: false })
  expect(transaction.report).toContain('set DATABASE_URL_DIRECT')
})
