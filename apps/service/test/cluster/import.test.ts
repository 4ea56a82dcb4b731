import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudioClient } from '@svc-audio/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '../../src/cli/doctor.ts'
import { CLUSTER_CHECKS, describeCollation } from '../../src/cli/doctor-cluster.ts'
import { importFolder, migrateDatabase } from '../../src/cli/import/cluster.ts'
import { createKey, listKeys, readWebhookSecret } from '../../src/cli/keys.ts'
import { withPostgres } from '../../src/cli/with-stores.ts'
import { startService } from '../../src/service.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

let cluster: Cluster
let folder: string
beforeAll(async () => {
  cluster = await startCluster()
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-import-'))
})
afterAll(async () => {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
})

const speech = { model: 'svc-tts-1.0-pro', input: 'Good morning.', voice_id: 'rms', response_format: 'wav' }
const wav = (bytes: Uint8Array) => new File([Buffer.from(bytes)], 'nul \0 and ü.wav')

/** Uses a service on the folder: files, ended and waiting tasks, keys, answers. */
async function fill(): Promise<{ file: string; done: string; waiting: string; secret: string; key: string }> {
  const dataDir = folder
  const apiKeys = new Map([[KEYS.first, 'first']])
  const made = await createKey({ dataDir }, 'first')
  const key = /svca_\S+/.exec(made)?.[0] ?? ''
  const service = await startService({ dataDir, port: 0, apiKeys, logLevel: 'silent', stopTimeout: 0 })
  const audio = new AudioClient({ baseUrl: service.url, apiKey: key })
  const done = await audio.speech.createTask(speech)
  await audio.tasks.wait(done.id)
  const bytes = await (await audio.speech.create(speech)).bytes()
  const file = await audio.files.create({ file: wav(bytes) })
  const waiting = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file: wav(bytes) })
  await audio.close()
  await expect(importFolder({ ...cluster.shared, dataDir })).rejects.toThrow('in use by another running service')
  await service.close()
  return {
    file: file.id,
    done: done.id,
    waiting: waiting.id,
    secret: await readWebhookSecret({ dataDir }, 'first'),
    key,
  }
}

/** The estimated cost of a waiting task in the cluster. */
async function costOf(id: string): Promise<number | undefined> {
  const { rows } = await withPostgres(cluster.postgres.url, (database) =>
    sql<{ cost: number }>`SELECT cost FROM svc_audio.jobs WHERE task_id = ${id}`.execute(database),
  )
  return rows[0]?.cost
}

function costInFolder(id: string): unknown {
  const database = new DatabaseSync(join(folder, 'service.sqlite'), { readOnly: true })
  try {
    return database.prepare('SELECT cost FROM jobs WHERE task_id = ?').get(id)?.['cost']
  } finally {
    database.close()
  }
}

test('a folder moves to a cluster with everything, and waiting tasks go on there', async () => {
  const old = await fill()
  const options = { ...cluster.shared, dataDir: folder }
  const report = await importFolder(options)
  expect(report).toMatch(/^tasks: 2 rows$/m)
  expect(report).toMatch(/^uploads: 1 objects, \d+ bytes, 0 of them from an earlier import$/m)
  expect(report).toContain('Every object and row has an identical copy')
  // Again, as after an interruption: nothing new.
  expect(await importFolder(options)).toMatch(/^uploads: 1 objects, \d+ bytes, 1 of them from an earlier import$/m)
  expect(costInFolder(old.waiting)).toBeTypeOf('number')
  expect(await costOf(old.waiting)).toBe(costInFolder(old.waiting))
  expect(await readWebhookSecret(options, 'first')).toBe(old.secret)
  expect(await listKeys(options)).toBe(await listKeys({ dataDir: folder }))

  const service = await cluster.start({})
  const audio = new AudioClient({ baseUrl: service.url, apiKey: old.key })
  const done = await audio.tasks.retrieve(old.done)
  expect((await (await audio.download(done)).bytes()).length).toBeGreaterThan(1000)
  expect(await audio.tasks.wait(old.waiting)).toMatchObject({ status: 'SUCCESS' })
  const again = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: old.file })
  expect(await audio.tasks.wait(again.id)).toMatchObject({ status: 'SUCCESS' })
  await audio.close()
  await service.close()
})

test('an import into other data is refused, and changes nothing there', async () => {
  const databaseUrl = await cluster.postgres.createDatabase('other')
  await migrateDatabase({ databaseUrl })
  await withPostgres(databaseUrl, async (database) => {
    await sql`INSERT INTO svc_audio.secrets VALUES ('result-links', 'of another service')`.execute(database)
  })
  const options = { ...cluster.shared, dataDir: folder, databaseUrl }
  await expect(importFolder(options)).rejects.toThrow(/another row in secrets/)
})

test('an object that differs from its copy in the bucket is stored again', async () => {
  const databaseUrl = await cluster.postgres.createDatabase('changed')
  await migrateDatabase({ databaseUrl })
  const options = { ...cluster.shared, dataDir: folder, databaseUrl }
  const [name = ''] = await readdir(join(folder, 'files'))
  await writeFile(join(folder, 'files', name), 'changed')
  expect(await importFolder(options)).toMatch(/^uploads: 1 objects, 7 bytes, 0 of them from an earlier import$/m)
})

test('migrate tells what it has done', async () => {
  const databaseUrl = await cluster.postgres.createDatabase('fresh')
  await expect(listKeys({ dataDir: folder, databaseUrl })).rejects.toThrow('run svc-audio-service migrate')
  expect(await migrateDatabase({ databaseUrl })).toMatch(/has all \d+ steps now/)
  expect(await migrateDatabase({ databaseUrl })).toMatch(/up to date/)
  await expect(migrateDatabase({})).rejects.toThrow('migrate needs DATABASE_URL')
})

test('no index depends on a collation of the system', async () => {
  const find = sql<{ table: string; column: string }>`
    SELECT c.relname AS table, a.attname AS column FROM pg_attribute AS a
    JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'i')
    JOIN pg_collation AS l ON l.oid = a.attcollation
    WHERE c.relnamespace = 'svc_audio'::regnamespace AND l.collname <> 'C' AND c.relname NOT LIKE 'schema_steps%'`
  const { rows } = await withPostgres(cluster.postgres.url, (database) => find.execute(database))
  expect(rows).toEqual([])
})

test('doctor names another version of the collation, with the remedy', () => {
  expect(describeCollation({ made: '2.36', found: '2.36' })).toBeUndefined()
  expect(describeCollation({ made: null, found: null })).toBeUndefined()
  expect(describeCollation({ made: '2.31', found: '2.36' })).toMatch(/version 2\.31.*2\.36.*REINDEX DATABASE/)
})

test('doctor checks database and bucket, and names the remedy', async () => {
  const options = { ...cluster.shared, dataDir: folder }
  const { report, healthy } = await examine(options, CLUSTER_CHECKS)
  expect(report).toMatch(/ok +database +PostgreSQL \d/)
  expect(report).toMatch(/ok +bucket +svc-audio-test: 1 MB stored/)
  expect(healthy).toBe(true)
  const { port } = cluster.postgres
  const second = `postgres://test@127.0.0.1:1,127.0.0.1:${port}/postgres`
  const early = { ...options, databaseUrl: second, dataDir: join(folder, 'not', 'made', 'yet') }
  // The first host is down, and no service has started yet.
  expect((await examine(early, CLUSTER_CHECKS)).report).toMatch(/ok +database [^]*ok +bucket /)
  const wrong = { ...options, databaseUrl: 'postgres://test@127.0.0.1:1/none', s3Bucket: 'missing' }
  const broken = await examine(wrong, CLUSTER_CHECKS)
  expect(broken.report).toMatch(
    /fail +database +The database of DATABASE_URL cannot be reached \(ECONNREFUSED\): check/,
  )
  expect(broken.report).toMatch(/fail +bucket +S3_BUCKET names no bucket/)
  expect(broken.healthy).toBe(false)
})
