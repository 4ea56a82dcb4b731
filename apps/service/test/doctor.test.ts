import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { examine } from '../src/cli/doctor.ts'
import { checkStart } from '../src/cli/doctor-start.ts'
import { describeStartError } from '../src/cli/errors.ts'
import { makeFolder, readSecretKey } from '../src/drivers/folder/folders.ts'
import { openDatabase } from '../src/drivers/sqlite/database.ts'
import { createStores } from '../src/drivers/sqlite/stores.ts'
import { DEFAULT_OPTIONS, type ServiceOptions } from '../src/service-options.ts'
import { startService } from '../src/service.ts'
import { LINK_SECRET } from '../src/domain/result-links.ts'
import { scriptedEngine } from './support/scripted-engine.ts'

let folder: string
let dataDir: string
let options: ServiceOptions
const closings: (() => void)[] = []

/** Makes the folder as a service leaves it. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  dataDir = join(folder, 'data')
  const engines = { speech: { name: 'scripted', voices: [], create: async () => scriptedEngine() } }
  options = { dataDir, port: 0, logLevel: 'silent', engines }
  for (const name of ['uploads', 'files', 'inputs', 'results']) await makeFolder(join(dataDir, name))
  const database = openDatabase(join(dataDir, 'service.sqlite'))
  const stores = createStores(database, { secretKey: await readSecretKey(dataDir) })
  await stores.keys.create('first')
  await stores.secrets.valid(LINK_SECRET)
  await database.destroy()
})
afterEach(async () => {
  for (const close of closings.splice(0)) close()
  await rm(folder, { recursive: true, force: true })
})

const inData = (...names: readonly string[]): string => join(dataDir, ...names)

async function replaceByFile(name: string): Promise<void> {
  await rm(inData(name), { recursive: true })
  await writeFile(inData(name), 'a file in its place')
}

function run(statement: string): void {
  const database = new DatabaseSync(inData('service.sqlite'))
  database.exec(statement)
  database.close()
}

const object = (): Promise<void> => writeFile(inData('files', 'file_0123456789abcdef'), 'x')

type Break = () => Promise<Partial<ServiceOptions> | void> | Partial<ServiceOptions> | void

/** What breaks a set-up so that a service refuses to start. The result is changed options. */
const BROKEN: readonly (readonly [name: string, change: Break])[] = [
  ['the key of the secrets is lost', () => rm(inData('secret.key'))],
  ['the key of the secrets is another', () => writeFile(inData('secret.key'), 'another key\n')],
  ['objects without a database', () => object().then(() => rm(inData('service.sqlite')))],
  [
    'a write-ahead log without its database',
    async () => {
      await rm(inData('service.sqlite'))
      await writeFile(inData('service.sqlite-wal'), 'x')
    },
  ],
  ['a database that is older than its folder', () => writeFile(inData('mark.json'), '{"id":"x","mark":9,"at":0}')],
  [
    'a database of another folder',
    async () => {
      run("INSERT INTO folder_mark VALUES (1, 'mine', 1, 0)")
      await writeFile(inData('mark.json'), '{"id":"other","mark":1,"at":0}')
    },
  ],
  ['a database that is none', () => writeFile(inData('service.sqlite'), 'no database'.repeat(1000))],
  ['a database of other tables', () => run('PRAGMA application_id = 1')],
  ['a log of the database that is a folder', () => mkdir(inData('service.sqlite-wal')).then(() => undefined)],
  ['a data folder that is a file', () => ({ dataDir: inData('secret.key') })],
  ['a data folder below a file', () => ({ dataDir: inData('secret.key', 'data') })],
  ['a file in place of the results', () => replaceByFile('results')],
  ['a file in place of the uploads in flight', () => replaceByFile('uploads')],
  ['a file in place of the uploaded files', () => replaceByFile('files')],
  ['a lock that is no lock', () => writeFile(inData('lock.sqlite'), 'no lock'.repeat(1000))],
  ['a file of engines that is missing', () => ({ enginesFile: join(folder, 'engines.yaml') })],
  [
    'a file of engines with an unknown driver',
    async () => {
      await writeFile(join(folder, 'engines.yaml'), 'engines:\n  mine:\n    driver: nothing-like-that\n')
      return { enginesFile: join(folder, 'engines.yaml') }
    },
  ],
  [
    'a port in use',
    async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      closings.push(() => void server.close())
      const address = server.address()
      return { port: typeof address === 'object' ? address?.port : 0 }
    },
  ],
  ['an address of another machine', () => ({ host: '192.0.2.1' })],
  ['an allow-list that is none', () => ({ webhookAllow: ['not an address!'] })],
  ['a bucket without a database', () => ({ s3Bucket: 'bucket' })],
  ['a role without a cluster', () => ({ role: 'worker' })],
  ['priorities that do not exist', () => ({ engineNice: 99 })],
]

async function sentenceOfStart(given: ServiceOptions): Promise<string> {
  try {
    const service = await startService(given)
    await service.close()
    return 'it starts'
  } catch (error) {
    return describeStartError(error, { ...DEFAULT_OPTIONS, ...given })
  }
}

const START = [{ name: 'start', run: checkStart }]

describe('doctor says what the start says', { timeout: 30_000 }, () => {
  test.for(BROKEN)('%s', async ([, change]) => {
    const changed = await change()
    const given = { ...options, ...(typeof changed === 'object' ? changed : {}) }
    const { report, healthy } = await examine(given, START)
    expect({ healthy, report }).toEqual({ healthy: false, report: `fail  start  ${await sentenceOfStart(given)}\n` })
  })

  test('a sound folder', async () => {
    expect(await examine(options, START)).toEqual({ healthy: true, report: 'ok    start  a service would start\n' })
  })

  test('a folder that is missing', async () => {
    const missing = { ...options, dataDir: join(folder, 'new', 'data') }
    expect(await examine(missing, START)).toMatchObject({ healthy: true })
  })

  test('the folder of a running service', async () => {
    const service = await startService(options)
    const { port } = new URL(service.url)
    const beside = await examine({ ...options, port: Number(port) }, START)
    await service.close()
    expect(beside).toEqual({ healthy: true, report: 'ok    start  a service is running\n' })
  })
})

describe('a start without objects that rows name', () => {
  beforeEach(async () => {
    run(`INSERT INTO files (id, tenant, filename, purpose, bytes, created_at)
      VALUES ('file_0123456789abcdef', 'first', 'a.wav', 'x', 1, unixepoch())`)
    await rm(inData('files'), { recursive: true })
  })

  test('is a warning of doctor', async () => {
    const { report, healthy } = await examine(options, START)
    expect(healthy).toBe(true)
    expect(report).toBe(
      `warn  start  ${inData('files')} is empty, and the database has uploaded files: they answer 404. Restore the folder from a backup\n`,
    )
  })

  test('is told by the readiness', async () => {
    const service = await startService(options)
    await expect
      .poll(async () => (await fetch(`${service.url}/readyz`)).json(), { timeout: 20_000 })
      .toEqual({ status: 'ready', lost: ['files'] })
    await service.close()
  })
})
