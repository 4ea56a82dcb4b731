import { setTimeout as sleep } from 'node:timers/promises'
import { wavHeader } from '@svc-audio/core/audio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { riffSize } from './support/audio.ts'
import { type Refusal, TASK_REFUSALS } from './support/refusals.ts'
import { errorOf, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

type Json = Record<string, unknown>

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const body = { model: 'svc-tts-1.0-pro', input: 'Good morning.', voice_id: 'rms', response_format: 'wav', async: true }
const SPEECH = '/v1/audio/speech'
const TRANSCRIPTIONS = '/v1/audio/transcriptions'

async function json(response: Response): Promise<Json> {
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

/** Waits for a task's end. The test's timeout is the only limit. */
async function ended(id: unknown, own: TestService = service): Promise<Json> {
  for (;;) {
    const task = await json(await own.request('GET', `/v1/audio/tasks/${String(id)}`))
    if (task['status'] === 'SUCCESS' || task['status'] === 'FAILED') return task
    expect(task['retry_after']).toBe(1)
    await sleep(20)
  }
}

function form(file: Uint8Array, fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries({ model: 'svc-transcribe-1.0', async: 'true', ...fields })) {
    data.append(name, value)
  }
  data.append('file', new Blob([new Uint8Array(file)]), 'a.wav')
  return data
}

function silence(): Uint8Array {
  return Buffer.concat([wavHeader({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, 16_000), new Uint8Array(16_000)])
}

describe('interface: asynchronous speech', () => {
  // rules: speech.async, states.created, creation.immediate, creation.fields, creation.task-id, creation.object
  // rules: creation.status, creation.model-id, creation.retry-after, creation.updated-at, task.fields, task.object
  // rules: task.result-at-top-level, task.retry-after, speech.task-result, task-query.path
  test('the creation result comes at once, and the result is at the top level of the task', async () => {
    const created = await json(await service.request('POST', SPEECH, body))
    expect(created).toEqual({
      id: expect.stringMatching(/^task_[\da-f]{32}$/),
      task_id: created['id'],
      object: 'audio.speech',
      status: 'PENDING',
      retry_after: 1,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    })
    const task = await ended(created['task_id'])
    expect(task).toEqual({
      id: created['id'],
      object: 'audio.speech',
      status: 'SUCCESS',
      created_at: created['created_at'],
      updated_at: expect.any(Number),
      url: expect.stringContaining('/v1/audio/results/'),
      response_format: 'wav',
      content_type: 'audio/wav',
    })
    const file = await fetch(String(task['url'])).then((response) => response.bytes())
    expect(riffSize(file)).toBe(file.byteLength)
  })

  test('the same text gives the same audio as the synchronous response', async () => {
    const { url } = await ended((await json(await service.request('POST', SPEECH, body)))['id'])
    const file = await fetch(String(url)).then((response) => response.bytes())
    const now = await service.request('POST', SPEECH, { ...body, async: false })
    expect(Buffer.from(await now.bytes()).equals(file)).toBe(true)
  })

  // rules: states.failed, task.error
  test('an unspeakable text fails the task with the code of the synchronous error', async () => {
    const created = await json(await service.request('POST', SPEECH, { ...body, input: '🎉🎉' }))
    const task = await ended(created['id'])
    expect(task).toMatchObject({ status: 'FAILED', error: { code: 'unspeakable_text', message: expect.any(String) } })
    expect(task).not.toHaveProperty('retry_after')
    expect(Object.keys(task['error'] as object)).toEqual(['code', 'message'])
  })

  test('a task is invisible to other tenants', async () => {
    const { id } = await json(await service.request('POST', SPEECH, body))
    const headers = { authorization: `Bearer ${OTHER_KEY}` }
    const response = await service.request('GET', `/v1/audio/tasks/${String(id)}`, undefined, headers)
    expect(await errorOf(response)).toEqual({ status: 404, code: 'task_not_found', param: 'task_id' })
  })

  const rows: Refusal[] = [
    // rules: stream.no-async
    ['stream with async', { stream: true, model: 'svc-tts-1.5-flash' }, 400, 'unsupported_with_async', 'stream'],
    // rules: webhook.https, speech.webhook-url
    ...TASK_REFUSALS,
    ['no input', { input: ' ' }, 400, 'missing_required_field', 'input'],
  ]
  test.each(rows)('%s is refused, and no task is created', async (_rule, change, status, code, param) => {
    const before = service.countTasks()
    const response = await service.request('POST', SPEECH, { ...body, ...change })
    expect(await errorOf(response)).toEqual({ status, code, param })
    expect(service.countTasks()).toBe(before)
  })
})

describe('interface: asynchronous transcription', () => {
  // rules: transcription.async, transcription.task-result, creation.object, task.object, task-query.every-kind
  test('the file is stored until the task has ended, and the result equals the synchronous response', async () => {
    const created = await json(await service.request('POST', TRANSCRIPTIONS, form(silence())))
    expect(created).toMatchObject({ object: 'audio.transcription', status: 'PENDING', task_id: created['id'] })
    expect(await service.list('uploads')).toEqual([])
    const task = await ended(created['id'])
    expect(task).toMatchObject({ status: 'SUCCESS', text: '' })
    expect(task).not.toHaveProperty('result')
    await expect.poll(() => service.list('inputs')).toEqual([])
  })

  test('bytes without audio fail the task, and are deleted unless requests of failed tasks are stored', async () => {
    const own = await startTestService({ failedRequestHours: 0 })
    const noAudio = form(Buffer.from('Once upon '.repeat(99)))
    const created = await json(await own.request('POST', TRANSCRIPTIONS, noAudio))
    expect(await ended(created['id'], own)).toMatchObject({ status: 'FAILED', error: { code: 'undecodable_audio' } })
    await expect.poll(() => own.list('inputs')).toEqual([])
    await own.close()
  })

  test.each([
    ['async', { stream: 'true' }],
    ['webhook_url', { stream: 'true', async: 'false', webhook_url: 'https://example.com' }],
    ['response_format', { stream: 'true', async: 'false', response_format: 'text' }],
  ])('stream with %s is refused', async (param, fields) => {
    const response = await service.request('POST', TRANSCRIPTIONS, form(silence(), fields))
    expect(await errorOf(response)).toEqual({ status: 400, code: 'unsupported_with_stream', param })
    expect(await service.list('inputs')).toEqual([])
  })
})

describe('Idempotency-Key', () => {
  const post = (change: object, key: string, headers: Record<string, string> = {}): Promise<Response> =>
    service.request('POST', SPEECH, { ...body, ...change }, { 'idempotency-key': key, ...headers })

  test('the same key with the same body returns the same task, with fields in any order', async () => {
    const first = await json(await post({ aigc_metadata: { enabled: true, propagate_id: 'x' } }, 'same'))
    const before = service.countTasks()
    const reversed = Object.fromEntries(
      Object.entries({ ...body, aigc_metadata: { propagate_id: 'x', enabled: true } }).toReversed(),
    )
    const again = await service.request('POST', SPEECH, reversed, { 'idempotency-key': 'same' })
    expect((await json(again))['id']).toBe(first['id'])
    expect(service.countTasks()).toBe(before)
  })

  test("another body is a 409; another tenant's key is a different key", async () => {
    const first = await json(await post({}, 'other'))
    expect(await errorOf(await post({ input: 'Good night.' }, 'other'))).toMatchObject({
      status: 409,
      code: 'idempotency_conflict',
    })
    const foreign = await json(await post({}, 'other', { authorization: `Bearer ${OTHER_KEY}` }))
    expect(foreign['id']).not.toBe(first['id'])
  })

  test('a file is part of the body, and a repeated one is not stored', async () => {
    const send = (file: Uint8Array): Promise<Response> =>
      service.request('POST', TRANSCRIPTIONS, form(file), { 'idempotency-key': 'file' })
    const first = await json(await send(silence()))
    expect((await json(await send(silence())))['id']).toBe(first['id'])
    expect(await errorOf(await send(Buffer.concat([silence(), Buffer.of(1, 1)])))).toMatchObject({ status: 409 })
    await ended(first['id'])
    await expect.poll(() => service.list('inputs')).toEqual([])
  })

  test('many requests at once with one key all get the same task', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => post({}, 'burst').then(json)))
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1)
  })

  test.each(['', 'with space', 'x'.repeat(256)])('%j is not a key', async (key) => {
    expect(await errorOf(await post({}, key))).toMatchObject({ status: 400, code: 'invalid_idempotency_key' })
  })
})

describe('one service for a folder', () => {
  test('a second one is refused, and the first continues', async () => {
    await expect(startTestService({ dataDir: service.dataDir })).rejects.toThrow('is in use by another running service')
    expect((await service.request('GET', '/v1/models')).status).toBe(200)
  })

  test('work cut off by a stop is done by the next service', async () => {
    const own = await startTestService({ stopTimeout: 0, tasksAtOnce: 1 })
    const long = Array.from({ length: 60 }, (_, n) => `This is sentence number ${n}.`).join(' ')
    const tasks = []
    for (const input of [long, 'Short.']) {
      tasks.push(await json(await own.request('POST', SPEECH, { ...body, input })))
    }
    await own.stop()
    const next = await startTestService({ dataDir: own.dataDir })
    try {
      for (const { id } of tasks) expect((await ended(id, next))['status']).toBe('SUCCESS')
      expect((await next.list('results')).filter((name) => name.endsWith('.part'))).toEqual([])
    } finally {
      await next.close()
    }
  })
})
