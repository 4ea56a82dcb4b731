import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openPostgres, type PostgresDatabase, sharePostgres } from '../../src/drivers/postgres/database.ts'
import { createResponseStore } from '../../src/drivers/sql/response-store.ts'
import { createFileStore } from '../../src/drivers/sql/file-store.ts'
import { createStorageLedger } from '../../src/drivers/postgres/storage-ledger.ts'
import { createTaskStore } from '../../src/drivers/postgres/task-store.ts'
import { createWebhookOutbox } from '../../src/drivers/postgres/webhook-outbox.ts'
import { migrate } from '../../src/drivers/postgres/migrate.ts'
import { createS3Client } from '../../src/drivers/s3/client.ts'
import { createS3ObjectStore } from '../../src/drivers/s3/object-store.ts'
import type { ObjectStore } from '../../src/ports/object-store.ts'
import { STORAGE_AREAS, type StorageArea } from '../../src/ports/storage-ledger.ts'
import type { Claim } from '../../src/ports/task-store.ts'
import { createBacklog } from '../../src/use-cases/tasks/backlog.ts'
import { createTenantObjects } from '../../src/use-cases/objects.ts'
import { runTask } from '../../src/workers/run-task.ts'
import { startPostgres } from '../postgres/server.ts'
import { S3_CREDENTIALS, startS3 } from '../s3/server.ts'
import { createFakeServices, type FakeServices, wholeReserve } from '../support/fake-services.ts'
import { startPostgresProxy } from './postgres-proxy.ts'
import { startS3Proxy } from './s3-proxy.ts'
import { FaultScript } from './script.ts'

/** A process of a cluster over real drivers, with a script of faults between it and its stores. */
export interface ScriptedCluster {
  readonly services: FakeServices
  readonly script: FaultScript
  /** The claims of each task, in order. */
  readonly claims: ReadonlyMap<string, readonly Claim[]>
  /** The database without faults. */
  readonly database: PostgresDatabase
  /** The bytes of an object, without faults. @returns `undefined` when there is none */
  bytesOf(area: StorageArea, name: string): Promise<string | undefined>
  /** The objects that the database neither has entered nor noted, without faults. */
  withoutTrace(): Promise<readonly string[]>
  /** Makes a file of an upload. @returns Its path. */
  upload(content: string): Promise<string>
  /** Waits for a call, and lets time pass while it waits for a timer. */
  through<T>(call: Promise<T>): Promise<T>
  /** Claims and runs tasks until none is left, as a worker of the cluster. */
  work(): Promise<void>
  stop(): Promise<void>
}

/** Real time without an end after which a call waits for a timer, in milliseconds. */
const STILL_MS = 25

/** Starts PostgreSQL, S3, a proxy in front of each, and the services. */
export async function startScriptedCluster(): Promise<ScriptedCluster> {
  // One request for each call, so that every error reaches the service.
  Object.assign(process.env, S3_CREDENTIALS, { AWS_MAX_ATTEMPTS: '1' })
  const [postgres, s3] = await Promise.all([startPostgres(['fsync=off']), startS3()])
  const script = new FaultScript()
  const [postgresProxy, s3Proxy] = await Promise.all([
    startPostgresProxy(postgres.port, script),
    startS3Proxy(s3.endpoint, script),
  ])
  const onError = (): void => undefined
  const database = await openPostgres({ url: postgres.url, onError })
  await migrate(database)
  const url = postgres.url.replace(String(postgres.port), String(postgresProxy.port))
  const faulty = await openPostgres({ url, onError })
  const fake = await createFakeServices()
  const now = () => fake.clock.now()
  const [client, direct] = await Promise.all(
    [`http://127.0.0.1:${s3Proxy.port}`, s3.endpoint].map((endpoint) =>
      createS3Client({ bucket: s3.bucket, endpoint }),
    ),
  )
  if (client === undefined || direct === undefined) throw new Error('No client')
  const objects = (over: typeof client, area: StorageArea): Promise<ObjectStore> =>
    createS3ObjectStore({ client: over, bucket: s3.bucket, prefix: `${area}/`, scratch: fake.objects.scratch })
  const ledger = createStorageLedger(faulty, now)
  const area = async (name: StorageArea) =>
    createTenantObjects({ area: name, store: await objects(client, name), ledger, reserve: wholeReserve })
  const tasks = createTaskStore(faulty, { now })
  const claims = new Map<string, Claim[]>()
  const claim: typeof tasks.claim = async (...given) => {
    const claimed = await tasks.claim(...given)
    if (claimed !== undefined) claims.set(claimed.taskId, [...(claims.get(claimed.taskId) ?? []), claimed])
    return claimed
  }
  const services: FakeServices = {
    ...fake,
    stores: {
      ...fake.stores,
      tasks: { ...tasks, claim },
      files: createFileStore(sharePostgres(faulty, now)),
      responses: createResponseStore(sharePostgres(faulty, now)),
      outbox: createWebhookOutbox(faulty, now),
      backlog: createBacklog({ tasks, clock: fake.clock, mostSeconds: Infinity }),
      shared: true,
    },
    objects: {
      ...fake.objects,
      inputs: await area('inputs'),
      results: await area('results'),
      uploads: await area('uploads'),
    },
  }
  // The fake's own functions read its fields.
  services.engines.speech.synthesize = async ({ text }) => ({
    format: { sampleRate: 16_000, channels: 1, bitDepth: 16 },
    chunks: (async function* speak() {
      yield await services.speakWith(text, new AbortController().signal)
    })(),
  })
  const through = async <T>(call: Promise<T>): Promise<T> => {
    const state = { ended: false }
    const done = call.finally(() => Object.assign(state, { ended: true }))
    done.catch(() => undefined)
    for (;;) {
      await Promise.race([done.catch(() => undefined), sleep(STILL_MS)])
      if (state.ended) return done
      await services.clock.pass(1000)
    }
  }
  return {
    services,
    script,
    claims,
    database,
    through,
    async bytesOf(name, object) {
      const found = await (await objects(direct, name)).open(object)
      return found === undefined ? undefined : Buffer.concat(await found.stream.toArray()).toString()
    },
    async withoutTrace() {
      const { rows } = await sql<{ area: string; name: string }>`
        SELECT area, name FROM svc_audio.objects UNION ALL SELECT area, name FROM svc_audio.begun_objects`.execute(
        database,
      )
      const known = new Set(rows.map(({ area: place, name }) => `${place}/${name}`))
      const left: string[] = []
      for (const place of STORAGE_AREAS) {
        for await (const { name } of (await objects(direct, place)).list()) left.push(`${place}/${name}`)
      }
      return left.filter((object) => !known.has(object))
    },
    async upload(content) {
      const path = join(services.objects.uploadFolder, randomUUID())
      await writeFile(path, content)
      return path
    },
    async work() {
      for (;;) {
        // Leases of responses that were lost have lapsed, and delays are over.
        await services.clock.pass(120_000)
        const claimed = await services.stores.tasks.claim(30_000).catch(() => 'failed' as const)
        if (claimed === undefined) return
        if (claimed !== 'failed') await through(runTask(services, claimed))
      }
    },
    async stop() {
      await Promise.all([faulty.destroy(), database.destroy()])
      client.destroy()
      direct.destroy()
      await Promise.all([postgresProxy.close(), s3Proxy.close()])
      await Promise.all([postgres.stop(), s3.stop(), fake.close()])
    },
  }
}

/** The row of a task, without faults. */
export async function taskRow(database: PostgresDatabase, id: string): Promise<TaskRow | undefined> {
  const { rows } = await sql<TaskRow>`
    SELECT id, status, result, error, (SELECT count(*) FROM svc_audio.webhooks WHERE task_id = tasks.id) AS webhooks
    FROM svc_audio.tasks WHERE id = ${id}`.execute(database)
  return rows[0]
}

/** Columns of a task, and the number of its webhooks. */
export interface TaskRow {
  readonly id: string
  readonly status: string
  readonly result: string | null
  readonly error: string | null
  readonly webhooks: number
}
