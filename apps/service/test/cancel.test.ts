import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelStoredTask } from '../src/cli/tasks.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { errorOf, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

type Json = Record<string, unknown>

/** A busy machine needs more than the default. */
const PATIENCE = { timeout: 20_000 }
const AS_OTHER = { authorization: `Bearer ${OTHER_KEY}` }
/** Minutes of work. */
const LONG = 'This is a long text to be spoken, and it takes its time. '.repeat(1500)
const body = { model: 'svc-tts-1.0-pro', voice_id: 'rms', response_format: 'opus', async: true }

let service: TestService
let receiver: Receiver
beforeAll(async () => {
  service = await startTestService({ webhookAllow: ['http://127.0.0.1'], tasksAtOnce: 1 })
})
afterAll(() => service.close())
beforeEach(async () => {
  receiver = await startReceiver(() => 204)
})
afterEach(() => receiver.close())

async function create(change: object = {}, headers: Record<string, string> = {}): Promise<string> {
  const response = await service.request('POST', '/v1/audio/speech', { ...body, input: LONG, ...change }, headers)
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

async function find(id: string): Promise<Json> {
  return (await (await service.request('GET', `/v1/audio/tasks/${id}`)).json()) as Json
}

async function started(id: string): Promise<void> {
  await expect.poll(async () => (await find(id))['status'], PATIENCE).toBe('PROCESSING')
}

const CANCELLED = { status: 'FAILED', error: { code: 'task_cancelled', message: 'The task was cancelled' } }

describe('DELETE /v1/audio/tasks/{task_id}', () => {
  test('cancels a task at work: it fails, its webhook is called, its place is free, no file stays', async () => {
    const id = await create({ webhook_url: receiver.url })
    await started(id)
    const response = await service.request('DELETE', `/v1/audio/tasks/${id}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ id, ...CANCELLED, webhook: {} })
    await expect.poll(() => receiver.calls.length, PATIENCE).toBe(1)
    expect(JSON.parse(receiver.calls[0]?.body ?? '')).toMatchObject({ id, ...CANCELLED })
    // The next task gets the only place at once.
    const next = await create({ input: 'Hello.', response_format: 'wav' })
    await expect.poll(async () => (await find(next))['status'], PATIENCE).toBe('SUCCESS')
    expect(await find(id)).toMatchObject(CANCELLED)
    expect(await service.list('results')).toEqual([expect.stringContaining(next)])
  })

  test('cancels a queued task with its input, and a repeated request returns it', async () => {
    const running = await create()
    await started(running)
    const form = (): FormData => {
      const fields = new FormData()
      fields.set('model', 'svc-transcribe-1.0')
      fields.set('async', 'true')
      fields.set('file', new Blob([new Uint8Array(2000)]), 'a.wav')
      return fields
    }
    const key = { 'idempotency-key': 'cancelled-one' }
    const made = await service.request('POST', '/v1/audio/transcriptions', form(), key)
    const { id } = (await made.json()) as { id: string }
    for (let n = 0; n < 2; n += 1) {
      const response = await service.request('DELETE', `/v1/audio/tasks/${id}`)
      expect(response.status).toBe(200)
      await response.json()
    }
    await expect.poll(() => service.list('inputs'), PATIENCE).toEqual([])
    const again = await service.request('POST', '/v1/audio/transcriptions', form(), key)
    expect(await again.json()).toMatchObject({ id })
    await service.request('DELETE', `/v1/audio/tasks/${running}`)
  })

  test('leaves an ended task as it is', async () => {
    const id = await create({ input: 'Hello.', response_format: 'wav' })
    await expect.poll(async () => (await find(id))['status'], PATIENCE).toBe('SUCCESS')
    const response = await service.request('DELETE', `/v1/audio/tasks/${id}`)
    expect(await response.json()).toMatchObject({ id, status: 'SUCCESS', url: expect.any(String) as string })
  })

  test('ends a stream with the error task_cancelled', async () => {
    const change = { model: 'svc-tts-1.5-flash', async: false, stream: true, response_format: 'pcm' }
    const stream = await service.request('POST', '/v1/audio/speech', {
      ...body,
      input: LONG,
      ...change,
      stream_format: 'sse',
    })
    const reader = stream.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    const { task_id: id } = JSON.parse(first.split('\n', 1)[0]?.slice(6) ?? '') as { task_id: string }
    await service.request('DELETE', `/v1/audio/tasks/${id}`)
    let last = ''
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) break
      last = (last + new TextDecoder().decode(value)).slice(-500)
    }
    expect(last).toContain('"task_cancelled"')
    expect(await find(id)).toMatchObject(CANCELLED)
  })

  test('an unknown task and one of another tenant are 404', async () => {
    const id = await create({ input: 'Hello.' })
    for (const [path, headers] of [
      [id, AS_OTHER],
      ['task_unknown', {}],
    ] as const) {
      const refused = await service.request('DELETE', `/v1/audio/tasks/${path}`, undefined, headers)
      expect(await errorOf(refused)).toEqual({ status: 404, code: 'task_not_found', param: 'task_id' })
    }
  })
})

test('task.cancel() of the client ends a wait for it', async () => {
  const task = await service.audio.speech.createTask({ model: 'svc-tts-1.0-pro', voice_id: 'rms', input: LONG })
  const waiting = task.wait().catch((error: unknown) => error)
  expect(await task.cancel()).toMatchObject(CANCELLED)
  expect(await waiting).toMatchObject({ name: 'TaskFailedError', code: 'task_cancelled' })
})

test('the command cancels a task beside a running service', async () => {
  const [running, queued] = [await create(), await create()]
  await started(running)
  expect(await cancelStoredTask({ dataDir: service.dataDir }, 'first', queued)).toBe(`Task ${queued} is cancelled.\n`)
  expect(await cancelStoredTask({ dataDir: service.dataDir }, 'first', queued)).toBe(
    `Task ${queued} had ended before.\n`,
  )
  await expect(cancelStoredTask({ dataDir: service.dataDir }, 'second', running)).rejects.toThrow(
    'There is no tenant second',
  )
  expect(await find(queued)).toMatchObject(CANCELLED)
  await service.request('DELETE', `/v1/audio/tasks/${running}`)
})
