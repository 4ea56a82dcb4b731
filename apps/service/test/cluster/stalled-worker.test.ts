import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { openPostgres, type PostgresDatabase } from '../../src/drivers/postgres/database.ts'
import { S3_CREDENTIALS } from '../s3/server.ts'
import { ClusterNode } from './chaos/nodes.ts'
import { type Cluster, startCluster } from './cluster.ts'

/** Longest time without progress, of the processes of this test. */
const PATIENCE_MS = 2000

let cluster: Cluster
let database: PostgresDatabase
const nodes: ClusterNode[] = []
const node = async (role: 'api' | 'worker', more: NodeJS.ProcessEnv = {}): Promise<ClusterNode> => {
  const { databaseUrl = '', s3Bucket = '', s3Endpoint = '' } = cluster.shared
  const started = new ClusterNode(role, {
    ...S3_CREDENTIALS,
    DATABASE_URL: databaseUrl,
    S3_BUCKET: s3Bucket,
    S3_ENDPOINT: s3Endpoint,
    ENGINE_MS: '10',
    AT_ONCE: '4',
    PATIENCE_MS: String(PATIENCE_MS),
    ...more,
  })
  nodes.push(started)
  await started.start()
  return started
}
beforeAll(async () => {
  cluster = await startCluster()
  database = await openPostgres({ url: cluster.postgres.url, onError: () => {} })
})
afterAll(async () => {
  await Promise.all(nodes.map((started) => started.stop()))
  await database.destroy()
  await cluster.stop()
})

const leases = async (): Promise<number> => {
  const { rows } = await sql<{ held: number }>`
    SELECT count(*)::integer AS held FROM svc_audio.jobs WHERE lease_ms > svc_audio.now_ms()`.execute(database)
  return rows[0]?.held ?? 0
}

test('a worker whose engine hangs, but whose heart beats, loses its tasks to another', async () => {
  const api = await node('api')
  await node('worker', { ENGINE_HANGS: 'yes' })
  const client = new AudioClient({ baseUrl: api.url ?? '', apiKey: 'key-of-first' })
  const order = { model: 'svc-tts-1.0-pro', voice_id: 'v', response_format: 'wav', input: 'Hello.' } as const
  const tasks = await Promise.all([1, 2, 3].map(() => client.speech.createTask(order)))
  await expect.poll(leases, { timeout: 30_000 }).toBe(tasks.length)
  await node('worker')
  const ended = await Promise.all(tasks.map(({ id }) => client.tasks.wait(id)))
  expect(ended.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  // The engine of the first worker has lost all places: it takes no more tasks, and the second does all.
  const more = await Promise.all([1, 2, 3, 4, 5, 6].map(() => client.speech.createTask(order)))
  await Promise.all(more.map(({ id }) => client.tasks.wait(id)))
  const { rows } = await sql<{ id: string; result: string }>`
    SELECT id, result FROM svc_audio.tasks WHERE status = 'SUCCESS'`.execute(database)
  expect(rows).toHaveLength(tasks.length + more.length)
  await client.close()
})
