import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '../src/cli/doctor.ts'
import { CHECKS } from '../src/cli/doctor-checks.ts'
import { writeCodecNote } from '../src/drivers/folder/folders.ts'
import { Program } from './support/program.ts'
import { buzz, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The output of an admin command. */
async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const program = new Program(folder, [...args, '--data-dir', 'data'])
  const code = await program.exit()
  return { code, stdout: program.stdout, stderr: program.stderr }
}

async function modelsStatus(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  await response.body?.cancel()
  return response.status
}

// rules: auth.deleted-key
test('keys are created, listed and deleted beside a running service, which refuses a deleted key at once', async () => {
  const made = await run('keys', 'create', 'early')
  expect(made.code).toBe(0)
  const service = new Program(folder, ['--port', '0', '--data-dir', 'data'])
  const url = await service.ready()
  // The first start created one key.
  expect(service.stdout).not.toContain('API key')
  const early = /API key {3}(svca_\S+)/.exec(made.stdout)?.[1] ?? ''
  expect(await modelsStatus(url, early)).toBe(200)
  const late = await run('keys', 'create', 'late')
  const key = /API key {3}(svca_\S+)/.exec(late.stdout)?.[1] ?? ''
  const id = /id {8}(\S+)/.exec(late.stdout)?.[1] ?? ''
  expect(late.stdout).toMatch(/webhooks {2}whsec_\S+/)
  expect(await modelsStatus(url, key)).toBe(200)
  const listed = await run('keys', 'list')
  expect(listed.stdout).toMatch(new RegExp(`^${id}  late +made \\d{4}-`, 'm'))
  expect(listed.stdout).toMatch(/ {2}early /)
  expect(listed.stdout).not.toContain('svca_')
  expect(await run('keys', 'delete', id)).toMatchObject({ code: 0, stdout: `Key ${id} is deleted.\n` })
  expect(await modelsStatus(url, key)).toBe(401)
  expect(await modelsStatus(url, early)).toBe(200)
  expect((await run('keys', 'list')).stdout).not.toContain(id)
  const again = await run('keys', 'delete', id)
  expect(again).toMatchObject({ code: 1 })
  expect(again.stderr).toContain(`No key has the id ${id}`)
  await service.stop()
})

test("a voice of the command's tenant is deleted beside a running service", async () => {
  const keys: string[] = []
  for (const tenant of ['first', 'second']) {
    keys.push(/API key {3}(svca_\S+)/.exec((await run('keys', 'create', tenant)).stdout)?.[1] ?? '')
  }
  const service = new Program(folder, ['--port', '0', '--data-dir', 'data'])
  const url = await service.ready()
  const headers = { authorization: `Bearer ${keys[0]}` }
  const form = new FormData()
  form.append('audio_sample', wavOf(buzz(140, 3, 4)))
  const made = await fetch(`${url}/v1/audio/voices`, { method: 'POST', headers, body: form })
  const { id } = (await made.json()) as { id: string }
  const listed = async () => (await (await fetch(`${url}/v1/audio/voices`, { headers })).text()).includes(id)
  expect(await listed()).toBe(true)
  const other = await run('voices', 'delete', 'second', id)
  expect(other).toMatchObject({ code: 1 })
  expect(other.stderr).toContain(`second has no voice ${id} of its own`)
  expect(await listed()).toBe(true)
  expect(await run('voices', 'delete', 'first', id)).toMatchObject({ code: 0, stdout: `Voice ${id} is deleted.\n` })
  expect(await listed()).toBe(false)
  await service.stop()
})

test('doctor checks everything, and leaves only the files of the service', async () => {
  await run('keys', 'create', 'someone')
  const { code, stdout } = await run('doctor')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok +storage /m)
  expect(stdout).toMatch(/^(?:ok|warn) +free space +[\d.]+ GB free/m)
  expect(stdout).toMatch(/^ok +database +sound, \d+ API keys?$/m)
  expect(stdout).toMatch(/^(?:ok|warn) +codec /m)
  expect(stdout).toMatch(/^ok +speech +piper and flite on \S+ spoke /m)
  expect(stdout).toMatch(/^ok +recognition +moonshine on \S+ heard ".*train/m)
  expect(stdout).toMatch(/^ok +diarization +voice-prints on \S+ found 0 speakers/m)
})

test('doctor names the codec of the running service if that is another one', async () => {
  const checks = CHECKS.filter(({ name }) => name === 'codec')
  const options = { dataDir: join(folder, 'data') }
  const service = new Program(folder, ['--port', '0', '--data-dir', 'data'])
  const url = await service.ready()
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [, launcher, version] = /svc_audio_codec_info\{launcher="(\w+)",version="([^"]*)"\} 1/.exec(metrics) ?? []
  expect((await examine(options, checks)).report).toContain(`codec  ${launcher} ffmpeg ${version} (`)
  await writeCodecNote(options.dataDir, { launcher: 'system', version: '9.9' })
  expect((await examine(options, checks)).report).toMatch(
    /^warn +codec +the running service uses system ffmpeg 9\.9; it looks for a new ffmpeg every minute, on its own PATH\. Here: /,
  )
  await service.stop()
  expect((await examine(options, checks)).report).toContain(`codec  ${launcher} ffmpeg ${version} (`)
})

test('doctor reports what a start will do with a missing folder, and creates nothing', async () => {
  const before = await readdir(folder)
  const program = new Program(folder, ['doctor', '--data-dir', 'mistyped/data'])
  expect(await program.exit()).toBe(0)
  expect(program.stdout).toMatch(
    /^warn +storage +\S+mistyped\/data is missing: the first start makes it, .*--data-dir/m,
  )
  expect(program.stdout).toMatch(/^(?:ok|warn) +free space +[\d.]+ GB free/m)
  expect(program.stdout).toMatch(/^warn +database +No service has used \S+mistyped\/data yet\. .*--data-dir/m)
  expect(program.stdout).toMatch(/^ok +recognition /m)
  expect(await readdir(folder)).toEqual(before)
})

test('doctor reports why a folder cannot be created, and exits with 1', async () => {
  const checks = CHECKS.filter(({ name }) => ['storage', 'free space', 'database'].includes(name))
  const { report, healthy } = await examine({ dataDir: '/dev/null/x' }, checks)
  expect(report).toMatch(/^fail +storage +\/dev\/null\/x is missing and cannot be made: \/dev\/null is not a folder\./m)
  expect(report).toMatch(/^\w+ +free space +[\d.]+ GB free/m)
  expect(healthy).toBe(false)
})

test.each([
  ['keys', 'list'],
  ['keys', 'delete', 'key_1'],
  ['voices', 'delete', 'someone', 'voice_1'],
  ['webhook-secret', 'someone'],
])('%s %s reports a missing folder and creates nothing', async (...words) => {
  const before = await readdir(folder)
  const program = new Program(folder, [...words, '--data-dir', 'mistyped'])
  expect(await program.exit()).toBe(1)
  expect(program.stderr).toMatch(
    /^svc-audio-service: No service has used \S+mistyped yet. Choose its folder with --data-dir\n$/,
  )
  expect(await readdir(folder)).toEqual(before)
})

test('a tenant without a key has no webhook secret, and none is created', async () => {
  await run('keys', 'create', 'someone')
  const { code, stderr, stdout } = await run('webhook-secret', 'somone')
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'svc-audio-service: There is no tenant somone; did you mean someone? (tenants list shows them)\n',
  })
  const database = new DatabaseSync(join(folder, 'data', 'service.sqlite'), { readOnly: true })
  expect(database.prepare("SELECT name FROM secrets WHERE name = 'webhooks:somone'").all()).toEqual([])
  database.close()
})

test('doctor exits with 1 if the database is damaged', async () => {
  await run('keys', 'create', 'someone')
  const database = new DatabaseSync(join(folder, 'data', 'service.sqlite'))
  database.exec('PRAGMA user_version = 1000')
  database.close()
  const { code, stdout } = await run('doctor')
  expect(stdout).toMatch(/^fail +database .*another version/m)
  expect(code).toBe(1)
})

test('every command refuses a folder with the tables of another version in one line', async () => {
  await run('keys', 'create', 'someone')
  const database = new DatabaseSync(join(folder, 'data', 'service.sqlite'))
  database.exec('PRAGMA user_version = 1000')
  database.close()
  for (const words of [
    ['keys', 'list'],
    ['webhook-secret', 'someone'],
    ['--port', '0'],
  ]) {
    const { code, stderr } = await run(...words)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc-audio-service: \S+ has the tables of another version of this service: .*--data-dir\n$/)
  }
})

test('a check that throws counts as failed, and the other checks still run', async () => {
  const { report, healthy } = await examine({ dataDir: folder }, [
    { name: 'first', run: () => Promise.reject(new Error('it broke')) },
    { name: 'second one', run: async () => ({ level: 'warn', text: 'so-so' }) },
  ])
  expect(report).toBe('fail  first       it broke\nwarn  second one  so-so\n')
  expect(healthy).toBe(false)
})
