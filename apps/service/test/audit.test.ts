import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createKey,
  deleteKey,
  drain,
  readWebhookSecret,
  rotateKey,
  rotateLinks,
  rotateWebhookSecret,
} from '../src/cli/keys.ts'
import { printAuditLog } from '../src/cli/print-audit-log.ts'
import { cancelStoredTask } from '../src/cli/tasks.ts'
import { deleteVoice, resumeTenant, suspendTenant } from '../src/cli/tenants.ts'
import type { AuditFilter } from '../src/ports/audit-store.ts'
import { Program } from './support/program.ts'
import { KEY, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

type Line = Record<string, unknown>
const WORD = 'zebra'
const SPEECH = { model: 'svc-tts-1.0-pro', input: `A ${WORD} whispers.`, voice_id: 'kal16', response_format: 'wav' }
const SOON = { timeout: 10_000, interval: 50 }

/** The output of `svc-audio-service audit`. */
async function printed(service: Pick<TestService, 'dataDir'>, filter: AuditFilter = {}): Promise<string> {
  let text = ''
  const to = new Writable({ write: (chunk: Buffer, _encoding, done) => ((text += chunk.toString()), done()) })
  await printAuditLog({ dataDir: service.dataDir }, filter, to)
  return text
}

async function linesOf(service: Pick<TestService, 'dataDir'>, filter: AuditFilter = {}): Promise<Line[]> {
  const text = await printed(service, filter)
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
}

const speak = (service: TestService, body: object, headers?: Record<string, string>): Promise<Response> =>
  service.request('POST', '/v1/audio/speech', body, headers)

const idOf = async (response: Response): Promise<string> => ((await response.json()) as { readonly id: string }).id

function form(fields: Readonly<Record<string, string>>, file: string): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.set(name, value)
  made.set('file', new Blob(['some bytes']), file)
  return made
}

describe('requests', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => service.close())
  /** The records of a request. */
  const recordsOf = (request: string) => async () =>
    (await linesOf(service)).filter((line) => line['request'] === request)

  test('a creation has who, what, when, from where, which id and which request', async () => {
    const request = { 'x-request-id': 'request-of-an-upload' }
    const headers = { ...request, 'x-forwarded-for': '198.51.100.7' }
    const start = Date.now()
    const id = await idOf(await service.request('POST', '/v1/files', form({}, 'a.wav'), headers))
    await expect.poll(recordsOf('request-of-an-upload'), SOON).toHaveLength(1)
    const [line] = await recordsOf('request-of-an-upload')()
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      action: 'uploadFile',
      actor: 'client',
      outcome: 'done',
      tenant: 'first',
      key: expect.stringMatching(/^[\da-f]{12}$/),
      id,
      address: '198.51.100.7',
      request: 'request-of-an-upload',
      status: 200,
    })
    expect(Math.abs(Date.parse(String(line?.['time'])) - start)).toBeLessThan(60_000)
  })

  test.each([
    ['createSpeech', 'task', async () => speak(service, { ...SPEECH, async: true })],
    ['createSpeech', 'result', async () => speak(service, { ...SPEECH, delivery_method: 'url' })],
    [
      'createSpeech',
      'stream of events',
      async () =>
        speak(service, {
          ...SPEECH,
          model: 'svc-tts-1.5-flash',
          response_format: 'pcm',
          stream: true,
          stream_format: 'sse',
        }),
    ],
    [
      'createTranscription',
      'task',
      async () =>
        service.request('POST', '/v1/audio/transcriptions', form({ model: 'svc-transcribe-1.0', async: 'true' }, 'a')),
    ],
  ] as const)('%s records the id of its %s', async (action, _answer, send) => {
    const before = (await linesOf(service, { action })).length
    const response = await send()
    const body = await response.text()
    await expect.poll(async () => (await linesOf(service, { action })).length, SOON).toBe(before + 1)
    const line = (await linesOf(service, { action })).at(-1)
    const [, id] = /"(?:task_)?id":"([^"]+)"/.exec(body) ?? []
    expect(line).toMatchObject({ outcome: 'done', id })
    expect(id).toMatch(/^(?:task|speech)_[\da-f]{32}$/)
  })

  test('deletions and cancellations have the id; a refused one has none, because it may be any text', async () => {
    const file = await idOf(await service.request('POST', '/v1/files', form({}, 'a.wav')))
    const task = await idOf(await speak(service, { ...SPEECH, async: true }))
    for (const path of [`/v1/files/${file}`, `/v1/files/${WORD}`, `/v1/audio/tasks/${task}`]) {
      await (await service.request('DELETE', path)).text()
    }
    await service.request('GET', `/v1/files/${file}`)
    await expect.poll(() => linesOf(service, { action: 'cancelTask' }), SOON).toMatchObject([{ id: task, status: 200 }])
    expect(await linesOf(service, { action: 'deleteFile' })).toMatchObject([{ id: file, outcome: 'done' }])
  })

  test('audio that a client does not read to its end is recorded as cut', async () => {
    const controller = new AbortController()
    const long = {
      ...SPEECH,
      model: 'svc-tts-1.5-flash',
      response_format: 'pcm',
      stream: true,
      input: 'Yes. '.repeat(3000),
    }
    const response = await fetch(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-request-id': 'request-cut' },
      body: JSON.stringify(long),
      signal: controller.signal,
    })
    await response.body?.getReader().read()
    controller.abort()
    await expect
      .poll(recordsOf('request-cut'), SOON)
      .toMatchObject([{ outcome: 'cut', id: expect.stringMatching(/^task_/) }])
  })

  test('filters select by tenant, action and time', async () => {
    await (await service.request('POST', '/v1/files', form({}, 'a'), { authorization: `Bearer ${OTHER_KEY}` })).text()
    await expect.poll(() => linesOf(service, { tenant: 'second' }), SOON).toHaveLength(1)
    expect(await linesOf(service, { tenant: 'second', action: 'deleteFile' })).toEqual([])
    const [{ time } = {}] = await linesOf(service, { tenant: 'second' })
    const at = Date.parse(String(time))
    expect(await linesOf(service, { tenant: 'second', since: at, until: at + 1 })).toHaveLength(1)
    expect(await linesOf(service, { tenant: 'second', until: at })).toEqual([])
    await expect(printed(service, { action: 'deletefile' })).rejects.toThrow(/--action must be one of .*deleteFile/)
  })
})

test('failed authentications and refused requests are counted, by address and status', async () => {
  const service = await startTestService({ trustProxy: ['127.0.0.1'], failedKeysPerMinute: 3 })
  const from = (address: string, authorization: string) => ({ authorization, 'x-forwarded-for': address })
  for (let index = 0; index < 5; index += 1) {
    await (await service.request('GET', '/v1/models', undefined, from('198.51.100.1', 'Bearer wrong'))).text()
  }
  await (await service.request('GET', '/v1/models', undefined, from('198.51.100.2', 'none'))).text()
  for (let index = 0; index < 4; index += 1) await (await speak(service, { ...SPEECH, model: 'unknown' })).text()
  await service.stop()
  const lines = await linesOf(service)
  const refused = lines.filter(({ outcome }) => outcome === 'refused')
  expect(refused.map(({ action, address, status, count, tenant }) => [action, address, status, count, tenant])).toEqual(
    [
      ['authenticate', '198.51.100.1', 401, 3, undefined],
      ['authenticate', '198.51.100.1', 429, 2, undefined],
      ['authenticate', '198.51.100.2', 401, undefined, undefined],
      ['createSpeech', '127.0.0.1', 404, 4, 'first'],
    ],
  )
  expect(lines.at(0)).toMatchObject({ action: 'startService', actor: 'service' })
  expect(lines.map(({ action }) => action)).toContain('stopService')
  await rm(service.dataDir, { recursive: true })
})

describe('commands', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())
  const fieldOf = (text: string, name: string): string => new RegExp(`${name} +(\\S+)`).exec(text)?.[1] ?? ''

  test('each has a record before it acts and one with its outcome', async () => {
    const made = await createKey(service, 'third')
    const id = fieldOf(made, 'id')
    const successor = fieldOf(await rotateKey(service, id, 1), 'id')
    await deleteKey(service, id)
    const secret = await readWebhookSecret(service, 'third')
    await rotateWebhookSecret(service, 'third', 1)
    await rotateLinks(service, 1)
    await suspendTenant(service, 'third')
    await resumeTenant(service, 'third')
    await drain(service, true)
    await drain(service, false)
    const task = await idOf(await speak(service, { ...SPEECH, async: true }))
    await cancelStoredTask(service, 'first', task)
    await expect(deleteVoice(service, 'first', `voice_${WORD}`)).rejects.toThrow('no voice')
    // A key that is typed instead of its id, by mistake.
    await expect(deleteKey(service, fieldOf(made, 'API key'))).rejects.toThrow('No key')

    const lines = (await linesOf(service)).filter(({ actor }) => actor === 'operator')
    const acts = lines.map(({ action, outcome, tenant, id: of }) => [action, outcome, tenant, of])
    expect(acts).toEqual([
      ['createKey', 'begun', 'third', undefined],
      ['createKey', 'done', 'third', id],
      ['rotateKey', 'begun', undefined, id],
      ['rotateKey', 'done', undefined, successor],
      ['deleteKey', 'begun', undefined, id],
      ['deleteKey', 'done', undefined, id],
      ['showWebhookSecret', 'begun', 'third', undefined],
      ['showWebhookSecret', 'done', 'third', undefined],
      ['rotateWebhookSecret', 'begun', 'third', undefined],
      ['rotateWebhookSecret', 'done', 'third', undefined],
      ['rotateLinks', 'begun', undefined, undefined],
      ['rotateLinks', 'done', undefined, undefined],
      ['suspendTenant', 'begun', 'third', undefined],
      ['suspendTenant', 'done', 'third', undefined],
      ['resumeTenant', 'begun', 'third', undefined],
      ['resumeTenant', 'done', 'third', undefined],
      ['beginDrain', 'begun', undefined, undefined],
      ['beginDrain', 'done', undefined, undefined],
      ['endDrain', 'begun', undefined, undefined],
      ['endDrain', 'done', undefined, undefined],
      ['cancelTask', 'begun', 'first', task],
      ['cancelTask', 'done', 'first', task],
      ['deleteVoice', 'begun', 'first', undefined],
      ['deleteVoice', 'failed', 'first', undefined],
      ['deleteKey', 'begun', undefined, undefined],
      ['deleteKey', 'failed', undefined, undefined],
    ])
    const text = JSON.stringify(lines)
    expect(lines[0]).toMatchObject({ user: expect.any(String), machine: expect.any(String) })
    expect(new Set(lines.map(({ request }) => request)).size).toBe(lines.length / 2)
    for (const hidden of [fieldOf(made, 'API key'), secret.trim(), WORD]) expect(text).not.toContain(hidden)
  })

  test('an act that a crash interrupts has its first record on the disk', async () => {
    const { dataDir } = service
    await createKey(service, 'fourth')
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'))
    // The act fails at its first write, and so does the record of its outcome.
    database.exec(`CREATE TRIGGER ill BEFORE INSERT ON suspensions BEGIN SELECT RAISE(ABORT, 'ill'); END;
      CREATE TRIGGER crashed BEFORE INSERT ON audit WHEN NEW.details NOT LIKE '%begun%'
      BEGIN SELECT RAISE(ABORT, 'crashed'); END`)
    await expect(suspendTenant(service, 'fourth')).rejects.toThrow('ill')
    database.exec('DROP TRIGGER ill; DROP TRIGGER crashed')
    database.close()
    const acts = await linesOf(service, { tenant: 'fourth', action: 'suspendTenant' })
    expect(acts).toMatchObject([{ action: 'suspendTenant', outcome: 'begun' }])
  })
})

test('no text, name, secret or query reaches the log, from any field of any request', async () => {
  const service = await startTestService({ webhookAllow: ['127.0.0.1'] })
  const headers = {
    'user-agent': WORD,
    referer: `https://${WORD}.example`,
    'x-forwarded-for': WORD,
    'x-request-id': `${WORD} is no id`,
    traceparent: WORD,
    cookie: `${WORD}=1`,
  }
  let sent = 0
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    sent += 1
    const key = { 'idempotency-key': `${WORD}-${sent}` }
    await (await service.request(method, path, body, { ...headers, ...key })).arrayBuffer()
  }
  const wrong = Object.fromEntries(Object.keys(SPEECH).map((field) => [field, WORD]))
  const webhook = { webhook_url: `https://127.0.0.1/${WORD}`, aigc_metadata: { enabled: true, propagate_id: WORD } }
  const fields = {
    model: 'svc-transcribe-diarize-pro',
    async: 'true',
    keyterms: WORD,
    purpose: WORD,
    name: WORD,
    description: WORD,
  }
  await send('POST', `/v1/audio/speech?${WORD}=${WORD}`, SPEECH)
  await send('POST', '/v1/audio/speech', { ...SPEECH, ...webhook, async: true })
  await send('POST', '/v1/audio/speech', wrong)
  await send('POST', '/v1/files', form(fields, `${WORD}.wav`))
  await send('POST', '/v1/audio/transcriptions', form(fields, `${WORD}.wav`))
  await send('POST', '/v1/audio/transcriptions', { ...fields, async: true, url: `https://${WORD}.example/` })
  await send('POST', '/v1/audio/voices', form(fields, `${WORD}.wav`))
  const voice = { model: 'svc-voice-generator-1.0', input: `A ${WORD}.`, instruction: `Like a ${WORD}` }
  await send('POST', '/v1/audio/voice/generations', { ...voice, delivery_method: 'url' })
  for (const path of ['files', 'audio/tasks']) await send('DELETE', `/v1/${path}/${WORD}?${WORD}`)
  for (const authorization of [`Bearer ${WORD}-wrong`, WORD]) {
    await (await fetch(`${service.url}/v1/models?${WORD}`, { headers: { ...headers, authorization } })).text()
  }
  await service.stop()
  const lines = await linesOf(service)
  const done = lines.filter(({ actor, outcome }) => actor === 'client' && outcome === 'done')
  expect(new Set(done.map(({ action }) => action))).toEqual(
    new Set(['createSpeech', 'uploadFile', 'createTranscription', 'generateVoice']),
  )
  expect(lines.filter(({ outcome }) => outcome === 'refused').length).toBeGreaterThan(4)
  const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true })
  const stored = JSON.stringify(database.prepare('SELECT * FROM audit').all())
  database.close()
  expect(stored.length).toBeGreaterThan(1000)
  for (const hidden of [WORD, KEY, 'svc-tts', '.wav', 'Bearer', '127.0.0.1/']) {
    expect([hidden, stored.includes(hidden)]).toEqual([hidden, false])
  }
  const known = [
    'time',
    'action',
    'actor',
    'outcome',
    'tenant',
    'key',
    'id',
    'address',
    'request',
    'status',
    'count',
    'machine',
  ]
  for (const line of lines) expect(known).toEqual(expect.arrayContaining(Object.keys(line)))
  await rm(service.dataDir, { recursive: true })
})

test('the program prints the log, while a service runs and after it was killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-audit-'))
  const flags = ['--data-dir', 'data']
  const run = async (...args: string[]): Promise<Program> => {
    const program = new Program(folder, [...args, ...flags])
    await program.exit()
    return program
  }
  const served = new Program(folder, ['--port', '0', ...flags], { SVC_AUDIO_API_KEYS: `tenant:${KEY}` })
  await served.ready()
  const made = await run('keys', 'create', 'third')
  expect(made.stdout).toContain('API key')
  served.child.kill('SIGKILL')
  await served.exit()
  const { stdout } = await run('audit', '--tenant', 'third', '--since', '2026-01-01', '--until', '9999-12-31T00:00Z')
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  ).toMatchObject([
    { action: 'createKey', actor: 'operator', outcome: 'begun' },
    { action: 'createKey', actor: 'operator', outcome: 'done' },
  ])
  await rm(folder, { recursive: true })
})
