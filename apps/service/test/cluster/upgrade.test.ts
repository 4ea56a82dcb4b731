import { AudioClient } from '@svc-audio/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { migrate, MIGRATIONS } from '../../src/drivers/postgres/migrate.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

/** Versions that this program does not know: the next one only adds, the one after it needs the next program. */
const NEXT = { statements: ["ALTER TABLE svc_audio.jobs ADD COLUMN later text NOT NULL DEFAULT ''"], worksWith: 1 }
const AFTER_NEXT = {
  statements: ['ALTER TABLE svc_audio.jobs DROP COLUMN later'],
  worksWith: MIGRATIONS.length + 1,
}

let cluster: Cluster
let database: PostgresDatabase
beforeAll(async () => {
  cluster = await startCluster()
  database = await openPostgres({ url: cluster.postgres.url, onError: () => {} })
})
afterAll(async () => {
  await database.destroy()
  await cluster.stop()
})

const speech = { model: 'svc-tts-1.0-pro', input: 'Good morning.', voice_id: 'rms', response_format: 'wav' }
const publicUrl = 'http://127.0.0.1:1'

test('the next version migrates under traffic, beside this program: no request fails', async () => {
  const api = await cluster.start({ role: 'api', publicUrl })
  await cluster.start({ role: 'worker', publicUrl })
  const client = new AudioClient({ baseUrl: api.url, apiKey: KEYS.first, maxRetries: 0 })
  const over = new AbortController()
  const ended: string[] = []
  const user = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { id } = await client.speech.createTask(speech)
      await client.tasks.retrieve(id)
      ended.push((await client.tasks.wait(id)).status)
    }
  }
  const users = Promise.all([1, 2, 3].map(user))
  await expect.poll(() => ended.length, { timeout: 60_000 }).toBeGreaterThan(3)
  // Somebody reads the table for longer than a step waits for it. The step lets the requests pass, and retries.
  const reader = database.transaction().execute(async (transaction) => {
    await sql`SELECT count(*), pg_sleep(4) FROM svc_audio.jobs`.execute(transaction)
  })
  const { found, wanted } = await migrate(database, [...MIGRATIONS, NEXT])
  expect([found, wanted]).toEqual([MIGRATIONS.length, MIGRATIONS.length + 1])
  await reader
  const before = ended.length
  await expect.poll(() => ended.length, { timeout: 60_000 }).toBeGreaterThan(before + 3)
  over.abort()
  await expect(users).resolves.toBeDefined()
  expect(new Set(ended)).toEqual(new Set(['SUCCESS']))
  await client.close()
})

test('this program starts on tables of the next version, and refuses those that need the next program', async () => {
  const service = await cluster.start({ role: 'api', publicUrl })
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  await service.close()
  await migrate(database, [...MIGRATIONS, NEXT, AFTER_NEXT])
  await expect(cluster.start({ role: 'api', publicUrl })).rejects.toThrow(
    'The database of DATABASE_URL was upgraded by a newer version: start that version',
  )
})
