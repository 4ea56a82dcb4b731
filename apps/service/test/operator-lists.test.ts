import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCommand } from '../src/cli/command.ts'
import { confirmation, deleteTenant } from '../src/cli/tenants.ts'
import { printAuditLog } from '../src/cli/print-audit-log.ts'
import { startTestService, type TestService } from './support/test-service.ts'

const KEYS = { SVC_AUDIO_API_KEYS: 'first:test-key-of-the-first-tenant,second:test-key-of-the-second-tenant' }

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav' } as const

let service: TestService
let file: string
let task: string
beforeAll(async () => {
  service = await startTestService()
  const form = new FormData()
  form.set('file', new Blob(['RIFF']), 'a.wav')
  ;({ id: file } = (await (await service.request('POST', '/v1/files', form)).json()) as { id: string })
  const order = await service.audio.speech.createTask({
    model: 'svc-tts-1.0-pro',
    input: 'A confidential text.',
    voice_id: 'kal16',
    response_format: 'wav',
  })
  task = order.id
  await order.wait({ pollInterval: 50 })
})
afterAll(() => service.close())

/** Runs a command beside the running service. */
async function run(...args: readonly string[]): Promise<string> {
  const command = readCommand([...args, '--data-dir', service.dataDir], KEYS)
  if (command.name !== 'run') throw new Error('It is no command')
  return command.run()
}

test('tasks are listed and shown beside a running service, without their text', async () => {
  expect(await run('tasks', 'list', 'first')).toMatch(
    new RegExp(`^${task} {2}audio\\.speech {2}SUCCESS {2}made \\S+ {2}changed \\S+\n$`),
  )
  const listed = JSON.parse(await run('tasks', 'list', 'first', '--json', '--status', 'SUCCESS')) as object
  expect(listed).toMatchObject({ tasks: [{ id: task, kind: 'audio.speech', status: 'SUCCESS', error: null }] })
  expect(await run('tasks', 'list', 'first', '--status', 'FAILED')).toBe('first has no such tasks.\n')
  const shown = await run('tasks', 'show', 'first', task)
  expect(JSON.parse(shown)).toMatchObject({ id: task, status: 'SUCCESS', request_id: expect.any(String) })
  expect(shown).not.toContain('confidential')
  await expect(run('tasks', 'show', 'second', task)).rejects.toThrow(`second has no task ${task}: tasks list second`)
})

test('everything of a tenant is exported beside a running service, with a record, and nothing of another', async () => {
  const folder = join(service.dataDir, 'export')
  expect(await run('tenants', 'export', 'first', folder)).toBe(
    `first is exported into ${folder}: 1 files, 0 voices, 1 tasks, 2 objects.\n`,
  )
  expect(JSON.parse(await readFile(join(folder, 'tenant.json'), 'utf8'))).toMatchObject({
    tenant: 'first',
    files: [{ id: file, filename: 'a.wav' }],
    tasks: [{ id: task, status: 'SUCCESS' }],
    usage: expect.arrayContaining([expect.objectContaining({ kind: 'storage' })]),
  })
  expect(await readFile(join(folder, 'objects/uploads', file), 'utf8')).toBe('RIFF')
  const results = await readdir(join(folder, 'objects/results'))
  expect(results).toEqual(await service.list('results'))
  for (const name of results) {
    const stored = await readFile(join(service.dataDir, 'results', name))
    expect(await readFile(join(folder, 'objects/results', name))).toEqual(stored)
  }
  expect(await readFile(join(folder, 'audit.jsonl'), 'utf8')).toContain('"action":"exportTenant"')
  await expect(run('tenants', 'export', 'first', folder)).rejects.toThrow('is not empty. Choose a new folder')
  const other = join(service.dataDir, 'other')
  expect(await run('tenants', 'export', 'second', other)).toContain('0 files, 0 voices, 0 tasks, 0 objects')
})

test('a failed export leaves nothing behind', async () => {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'))
  database.exec("INSERT INTO objects VALUES ('unknown', 'x', 'first', 1)")
  const folder = join(service.dataDir, 'failed')
  await expect(run('tenants', 'export', 'first', folder)).rejects.toThrow('unknown area')
  database.exec("DELETE FROM objects WHERE area = 'unknown'")
  database.close()
  expect(await readdir(service.dataDir)).not.toContain('failed')
})

test('files are listed, shown and deleted with their bytes and an audit record', async () => {
  expect(await run('files', 'list', 'first')).toMatch(
    new RegExp(`^${file} {2}4 bytes {2}stored \\S+ {2}"" {2}"a.wav"\n$`),
  )
  expect(JSON.parse(await run('files', 'show', 'first', file))).toMatchObject({ id: file, bytes: 4 })
  await expect(run('files', 'delete', 'second', file)).rejects.toThrow(`second has no file ${file}: files list second`)
  expect(await service.list('files')).toEqual([file])
  expect(await run('files', 'delete', 'first', file)).toBe(`File ${file} is deleted.\n`)
  expect(await service.list('files')).toEqual([])
  expect((await service.request('GET', `/v1/files/${file}`)).status).toBe(404)
  expect(JSON.parse(await run('files', 'list', 'first', '--json'))).toEqual({ files: [] })
})

test.each([
  ['tasks', 'list', 'frist'],
  ['tasks', 'show', 'frist', 'task_1'],
  ['files', 'list', 'frist'],
  ['files', 'show', 'frist', 'file_1'],
  ['files', 'delete', 'frist', 'file_1'],
  ['voices', 'delete', 'frist', 'voice_1'],
  ['tenants', 'suspend', 'frist'],
  ['tenants', 'export', 'frist', '/nowhere'],
  ['usage', '--tenant', 'frist'],
  ['tasks', 'cancel', 'frist', 'task_1'],
  ['tasks', 'retry', 'frist', 'task_1'],
  ['tenants', 'resume', 'frist'],
  ['tenants', 'pause', 'frist'],
  ['webhook-secret', 'frist'],
  ['webhook-secret', 'frist', 'rotate'],
])('an unknown tenant is an error with the near name: %s %s', async (...args) => {
  await expect(run(...args)).rejects.toThrow('There is no tenant frist (tenants list shows them)')
  const near = args.map((word) => (word === 'frist' ? 'firsts' : word))
  await expect(run(...near)).rejects.toThrow('There is no tenant firsts; did you mean first? (tenants list shows them)')
})

test('all tenants are listed, those of the settings without rows too', async () => {
  expect(await run('tenants', 'list')).toMatch(/^first .* 1 tasks {2}0 open {2}0 files .*\nsecond .*\n$/)
  const { tenants } = JSON.parse(await run('tenants', 'list', '--json')) as { tenants: object[] }
  expect(tenants).toMatchObject([
    { tenant: 'first', tasks: 1, open_tasks: 0, files: 0, suspended: false, paused: false, stored_keys: 0 },
    { tenant: 'second', tasks: 0, stored_bytes: 0 },
  ])
})

test('a tenant that neither the audit log nor a store names is an error of the audit log', async () => {
  const options = { dataDir: service.dataDir, apiKeys: new Map() }
  const sink = new PassThrough()
  await expect(printAuditLog(options, { tenant: 'nobody' }, sink)).rejects.toThrow('There is no tenant nobody')
  await expect(printAuditLog(options, { tenant: 'first' }, sink.resume())).resolves.toBeUndefined()
})

describe('a tenant with a stored key', () => {
  let key: string
  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    service.request(method, path, body, { authorization: `Bearer ${key}` })
  beforeAll(async () => {
    key = /svca_\S+/.exec(await run('keys', 'create', 'third'))?.[0] ?? ''
  })

  test('is paused and resumed: a task waits, and then runs', async () => {
    await run('tenants', 'pause', 'third')
    const made = await ask('POST', '/v1/audio/speech', { ...SPEECH, async: true })
    const { id } = (await made.json()) as { id: string }
    const other = await service.audio.speech.createTask({ ...SPEECH, response_format: 'wav' })
    await other.wait({ pollInterval: 50 })
    expect(await run('tasks', 'list', 'third')).toMatch(new RegExp(`^${id} {2}audio.speech {2}PENDING`))
    expect(await run('tenants', 'list')).toMatch(/^third .* paused$/m)
    await run('tenants', 'resume', 'third')
    const shown = () => run('tasks', 'show', 'third', id)
    await expect.poll(shown, { timeout: 60_000, interval: 200 }).toContain('"status": "SUCCESS"')
    await expect(run('tasks', 'retry', 'third', id)).rejects.toThrow(`Task ${id} has not failed: it is SUCCESS`)
  })

  test('has a failed transcription that is retried from its stored recording, as a new task', async () => {
    const form = new FormData()
    form.set('model', 'svc-transcribe-1.0')
    form.set('async', 'true')
    form.set('file', new Blob(['no recording']), 'a.wav')
    const made = await service.request('POST', '/v1/audio/transcriptions', form, { authorization: `Bearer ${key}` })
    const { id } = (await made.json()) as { id: string }
    const failed = async (of: string): Promise<boolean> =>
      (await run('tasks', 'list', 'third', '--status', 'FAILED')).includes(of)
    await expect.poll(() => failed(id), { timeout: 60_000, interval: 200 }).toBe(true)
    const inputs = await service.list('inputs')
    expect(inputs).toHaveLength(1)
    const retried = /as (task_\w+)\.\n$/.exec(await run('tasks', 'retry', 'third', id))?.[1] ?? ''
    expect(retried).not.toBe(id)
    await expect.poll(() => failed(retried), { timeout: 60_000, interval: 200 }).toBe(true)
    expect(await service.list('inputs')).toEqual(inputs)
    await expect(run('tasks', 'retry', 'third', id)).rejects.toThrow(`No request of task ${id} is stored`)
  })

  test('is deleted with everything it stores, after its name is typed or with --yes', async () => {
    const form = new FormData()
    form.set('file', new Blob(['RIFF']), 'a.wav')
    await service.request('POST', '/v1/files', form, { authorization: `Bearer ${key}` })
    await expect(run('tenants', 'delete', 'first', '--yes')).rejects.toThrow('first has a key in SVC_AUDIO_API_KEYS')
    const refuse = () => Promise.reject(new Error('no'))
    await expect(deleteTenant({ dataDir: service.dataDir }, 'third', refuse)).rejects.toThrow('no')
    expect((await ask('GET', '/v1/models')).status).toBe(200)
    expect(await run('tenants', 'delete', 'third', '--yes')).toMatch(/^third is deleted: 1 keys, 3 tasks, 1 files, /)
    expect((await ask('GET', '/v1/models')).status).toBe(401)
    expect(await run('tenants', 'list')).not.toContain('third')
    expect([await service.list('files'), await service.list('inputs')]).toEqual([[], []])
    expect(await service.list('results')).toHaveLength(2)
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true })
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
    const holding = names.filter(({ name }) =>
      JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()).includes('third'),
    )
    database.close()
    expect(holding.map(({ name }) => name)).toEqual(['audit'])
    const sink = new PassThrough()
    const printed = sink.toArray()
    await printAuditLog({ dataDir: service.dataDir }, { tenant: 'third', action: 'deleteTenant' }, sink)
    sink.end()
    expect(String(await printed)).toMatch(/"outcome":"begun"[^]*"outcome":"done"/)
  })
})

/** Types an answer to the question. */
async function answer(text: string): Promise<void> {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const asked = confirmation('third', { yes: false, input, output: new PassThrough() })('third has 1 keys.')
  input.write(`${text}\n`)
  await asked
}

test('only the name of the tenant confirms its deletion', async () => {
  await expect(answer('third')).resolves.toBeUndefined()
  await expect(answer('y')).rejects.toThrow('Nothing was deleted')
})

test('without a terminal and without --yes nothing is deleted', async () => {
  const ask = confirmation('third', { yes: false, input: new PassThrough() })
  await expect(ask('third has 1 keys.')).rejects.toThrow('Add --yes to delete without a question')
})

test('a wrong state and a wrong limit are errors that name the option', () => {
  expect(() => readCommand(['tasks', 'list', 'first', '--status', 'DONE'], {})).toThrow(
    '--status must be one of PENDING, PROCESSING, SUCCESS, FAILED, got "DONE"',
  )
  expect(() => readCommand(['files', 'list', 'first', '--limit', '0'], {})).toThrow(
    '--limit must be an integer from 1 to 100000, got "0"',
  )
})

test('the queue of all tenants is shown beside a running service', async () => {
  expect(await run('queue')).toBe('No task waits, runs, or has failed in the last 24 hours.\n')
  await run('tenants', 'pause', 'first')
  const { id } = await service.audio.speech.createTask(SPEECH)
  expect(await run('queue')).toMatch(
    /^first {2}audio\.speech {2}1 waiting {2}0 running {2}0 failed {2}oldest \d+ s, work of \d+ s {2}paused\n$/,
  )
  await run('tasks', 'cancel', 'first', id)
  await run('tenants', 'resume', 'first')
  const { queue } = JSON.parse(await run('queue', '--json')) as { queue: object[] }
  expect(queue).toEqual([
    {
      tenant: 'first',
      kind: 'audio.speech',
      waiting: 0,
      running: 0,
      failed: 1,
      oldest_seconds: 0,
      estimated_seconds: 0,
      paused: false,
    },
  ])
})
