import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Program } from './support/program.ts'

const KEY = 'a-key-of-the-tenant'
const ENVIRONMENT = { SVC_AUDIO_API_KEYS: `acme:${KEY}` }
const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav' } as const
const AREAS = ['files', 'inputs', 'results']

let folder: string
/** The folder of a service that was killed with stored files and results. */
let killed: string
/** The database of that folder before its last run. */
let older: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-mornings-'))
  killed = join(folder, 'killed')
  older = join(folder, 'older.sqlite')
  const first = await serve(killed)
  await upload(first.url)
  await first.program.stop()
  await cp(join(killed, 'service.sqlite'), older)
  const second = await serve(killed)
  await upload(second.url)
  await upload(second.url)
  await speak(second.url)
  second.program.child.kill('SIGKILL')
  await second.program.exit()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function start(dataDir: string): Program {
  return new Program(folder, ['--port', '0', '--data-dir', dataDir], ENVIRONMENT)
}

async function serve(dataDir: string): Promise<{ program: Program; url: string }> {
  const program = start(dataDir)
  return { program, url: await program.ready() }
}

const headers = { authorization: `Bearer ${KEY}` }

async function upload(url: string): Promise<void> {
  const form = new FormData()
  form.set('file', new Blob(['RIFF']), 'a.wav')
  expect((await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })).status).toBe(200)
}

async function speak(url: string): Promise<void> {
  const audio = new AudioClient({ apiKey: KEY, baseUrl: url })
  const task = await audio.speech.createTask(SPEECH)
  expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS' })
  await audio.close()
}

/** Every stored object of a folder. */
async function objectsIn(dataDir: string): Promise<string[]> {
  const names = await Promise.all(
    AREAS.map(async (area) => (await readdir(join(dataDir, area))).map((name) => `${area}/${name}`)),
  )
  return names.flat().toSorted()
}

/** A copy of the killed folder, to which something bad happens. */
async function morning(name: string, spoil: (dataDir: string) => Promise<void>): Promise<string> {
  const dataDir = join(folder, name)
  await cp(killed, dataDir, { recursive: true })
  await spoil(dataDir)
  return dataDir
}

async function removeDatabase(dataDir: string, suffixes: readonly string[]): Promise<void> {
  for (const suffix of suffixes) await rm(join(dataDir, `service.sqlite${suffix}`))
}

/** Starts the service, which must end with one line, and returns the line. */
async function refusalOf(dataDir: string): Promise<string> {
  const program = start(dataDir)
  const ended = program.exit().then(() => true)
  const ready = program.ready().then(
    () => false,
    () => true,
  )
  const refused = await Promise.race([ended, ready])
  await program.stop()
  expect(await objectsIn(dataDir)).toEqual(await objectsIn(killed))
  expect({ refused, code: program.child.exitCode }).toEqual({ refused: true, code: 1 })
  expect(program.stderr.trimEnd().split('\n')).toHaveLength(1)
  return program.stderr
}

describe('a start that would lose stored objects is refused with the remedy, and deletes nothing', () => {
  test('the log of the database was lost after a crash', async () => {
    const dataDir = await morning('without-wal', (path) => removeDatabase(path, ['-wal', '-shm']))
    expect(await refusalOf(dataDir)).toMatch(
      /The database in \S+without-wal is older than the folder, whose last rows are of \S+: .*service\.sqlite-wal.*restore a backup.*database accept/,
    )
  })

  test('an older copy of the database stands beside newer objects', async () => {
    const dataDir = await morning('older', async (path) => {
      await removeDatabase(path, ['', '-wal', '-shm'])
      await cp(older, join(path, 'service.sqlite'))
    })
    expect(await refusalOf(dataDir)).toMatch(/is older than the folder, whose last rows are of \S+: /)
  })

  test('the database is missing', async () => {
    const dataDir = await morning('missing', (path) => removeDatabase(path, ['', '-wal', '-shm']))
    expect(await refusalOf(dataDir)).toMatch(/\S+missing has 4 stored objects and no database: /)
    expect(await readdir(dataDir)).not.toContain('service.sqlite')
  })

  test('the database is missing and its log is there', async () => {
    const dataDir = await morning('only-wal', (path) => removeDatabase(path, ['']))
    expect(await refusalOf(dataDir)).toMatch(/has 4 stored objects and no database: /)
    expect(await readdir(dataDir)).toContain('service.sqlite-wal')
  })

  test('the database is empty', async () => {
    const dataDir = await morning('empty', async (path) => {
      await removeDatabase(path, ['-wal', '-shm'])
      await writeFile(join(path, 'service.sqlite'), '')
    })
    expect(await refusalOf(dataDir)).toMatch(/has 4 stored objects and no database: /)
  })

  test('the database is that of another folder', async () => {
    const other = join(folder, 'other-service')
    const { program } = await serve(other)
    await program.stop()
    const dataDir = await morning('other', async (path) => {
      await removeDatabase(path, ['', '-wal', '-shm'])
      await cp(join(other, 'service.sqlite'), join(path, 'service.sqlite'))
    })
    expect(await refusalOf(dataDir)).toMatch(/The database in \S+other is not the one of this folder: /)
  })

  test('the database has its tables and no row, in a folder without its mark', async () => {
    const dataDir = await morning('no-rows', async (path) => {
      await rm(join(path, 'mark.json'), { force: true })
      const database = new DatabaseSync(join(path, 'service.sqlite'))
      database.exec('PRAGMA foreign_keys = OFF')
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
      for (const { name } of tables) if (name !== 'work_classes') database.exec(`DELETE FROM ${String(name)}`)
      database.close()
    })
    expect(await refusalOf(dataDir)).toMatch(/has 4 stored objects and an empty database: /)
  })

  test('the file secret.key is missing: no new one is left behind, by a command neither', async () => {
    const dataDir = await morning('without-key', (path) => rm(join(path, 'secret.key')))
    expect(await refusalOf(dataDir)).toMatch(
      /\S+without-key has sealed secrets and no file secret\.key: .*SVC_AUDIO_SECRET_KEY/,
    )
    const command = new Program(folder, ['webhook-secret', 'acme', '--data-dir', dataDir], ENVIRONMENT)
    expect(await command.exit()).toBe(1)
    expect(command.stderr).toMatch(/has sealed secrets and no file secret\.key: /)
    expect(await readdir(dataDir)).not.toContain('secret.key')
  })
})

test('after a crash without a bad morning, the service starts with everything', async () => {
  const dataDir = await morning('good', async () => undefined)
  const { program, url } = await serve(dataDir)
  const { data } = (await (await fetch(`${url}/v1/files`, { headers })).json()) as { data: object[] }
  expect(data).toHaveLength(3)
  await program.stop()
  expect(await objectsIn(dataDir)).toEqual(await objectsIn(killed))
})

test('the operator accepts an older database: the service starts, deletes nothing, and its log counts', async () => {
  const dataDir = await morning('accepted', async (path) => {
    await removeDatabase(path, ['', '-wal', '-shm'])
    await cp(older, join(path, 'service.sqlite'))
  })
  const accept = new Program(folder, ['database', 'accept', '--data-dir', dataDir])
  expect(await accept.exit()).toBe(0)
  expect(accept.stdout).toMatch(/Objects without a row: 2 in uploads, 1 in results\. Nothing was deleted/)
  const { program } = await serve(dataDir)
  await program.stop()
  expect(program.stderr).toMatch(/"unnamed":\{"uploads":2,"results":1\}.*objects without a row in the database stay/)
  expect(await objectsIn(dataDir)).toEqual(await objectsIn(killed))
  const again = await serve(dataDir)
  await again.program.stop()
})

test('a folder that has lost its mark starts with an older database, and nothing is deleted', async () => {
  const dataDir = await morning('unmarked', async (path) => {
    await rm(join(path, 'mark.json'), { force: true })
    const database = new DatabaseSync(join(path, 'service.sqlite'))
    database.exec('DELETE FROM files; DELETE FROM objects; DELETE FROM tasks')
    database.close()
  })
  const { program } = await serve(dataDir)
  await program.stop()
  expect(program.stderr).toMatch(/objects without a row in the database stay/)
  expect(await objectsIn(dataDir)).toEqual(await objectsIn(killed))
})

test('a lost secret.key is given up by a command, and the service starts with new secrets', async () => {
  const dataDir = await morning('new-key', (path) => rm(join(path, 'secret.key')))
  const reset = new Program(folder, ['secrets', 'reset', '--data-dir', dataDir])
  expect(await reset.exit()).toBe(0)
  const { program } = await serve(dataDir)
  await program.stop()
  expect(await readFile(join(dataDir, 'secret.key'), 'utf8')).not.toBe('')
  expect(await objectsIn(dataDir)).toEqual(await objectsIn(killed))
})
