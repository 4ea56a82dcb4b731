import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { riffChunks } from './support/audio.ts'
import { startReceiver } from './support/receiver.ts'
import { TASK_REFUSALS } from './support/refusals.ts'
import { DIALOGUE as dialogueRequest, GENERATION as generationRequest } from './support/requests.ts'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'

type Json = Record<string, unknown>

let service: TestService
beforeAll(async () => {
  service = await startTestService({ webhookAllow: ['http://127.0.0.1'] })
})
afterAll(() => service.close())

const { path: DIALOGUE } = dialogueRequest
const { path: GENERATION } = generationRequest
const dialogue = { ...dialogueRequest.body, model: 'svc-ttsd-1.0-2026-03-20', response_format: 'wav' }
const generation = { ...generationRequest.body, response_format: 'wav' }

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Json> {
  const response = await service.request('POST', path, body, headers)
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

/** Waits for a task's end. The test's timeout is the only limit. */
async function ended(id: unknown): Promise<Json> {
  for (;;) {
    const task = (await (await service.request('GET', `/v1/audio/tasks/${String(id)}`)).json()) as Json
    if (task['status'] === 'SUCCESS' || task['status'] === 'FAILED') return task
    await sleep(20)
  }
}

async function sound(response: Response): Promise<Buffer> {
  expect(response.status).toBe(200)
  return Buffer.from(riffChunks(await response.bytes()).get('data') ?? [])
}

/** The audio of the same request without `async`. */
const atOnce = async (path: string, body: object): Promise<Buffer> => sound(await service.request('POST', path, body))

const CREATION = {
  id: expect.stringMatching(/^task_[\da-f]{32}$/),
  task_id: expect.stringMatching(/^task_[\da-f]{32}$/),
  status: 'PENDING',
  retry_after: 1,
  created_at: expect.any(Number),
  updated_at: expect.any(Number),
}
const RESULT = {
  status: 'SUCCESS',
  created_at: expect.any(Number),
  updated_at: expect.any(Number),
  url: expect.stringContaining('/v1/audio/results/'),
  response_format: 'wav',
  content_type: 'audio/wav',
}

describe('interface: an asynchronous dialogue', () => {
  // rules: dialogue.async, creation.model-id, creation.object
  test('is a speech task with the same audio as the synchronous response', async () => {
    const created = await post(DIALOGUE, { ...dialogue, async: true })
    expect(created).toEqual({ ...CREATION, object: 'audio.speech', task_id: created['id'] })
    const task = await ended(created['task_id'])
    expect(task).toEqual({ ...RESULT, id: created['id'], object: 'audio.speech' })
    const made = await sound(await fetch(String(task['url'])))
    expect(made.equals(await atOnce(DIALOGUE, dialogue))).toBe(true)
  })

  // rules: dialogue.aigc
  test('is marked if the request asks for it', async () => {
    const aigc_metadata = { enabled: true, propagate_id: '7' }
    const { id } = await post(DIALOGUE, { ...dialogue, aigc_metadata, async: true })
    const file = await (await fetch(String((await ended(id))['url']))).bytes()
    const { AIGC } = JSON.parse(Buffer.from(riffChunks(file).get('AIGC') ?? []).toString()) as { AIGC: object }
    expect(AIGC).toMatchObject({ PropagateID: '7', ProduceID: id })
  })

  test('fails if a line cannot be spoken', async () => {
    const segments = [...dialogue.segments, { speaker: 'bob', text: '🎉🎉' }]
    const { id } = await post(DIALOGUE, { ...dialogue, segments, async: true })
    expect(await ended(id)).toMatchObject({ status: 'FAILED', error: { code: 'unspeakable_text' } })
  })

  // rules: dialogue.webhook-url, webhook.after-completion
  test('is reported to its webhook', async () => {
    const receiver = await startReceiver(() => 204)
    const { id } = await post(DIALOGUE, { ...dialogue, async: true, webhook_url: receiver.url })
    await expect.poll(() => receiver.calls.length, { timeout: 20_000 }).toBe(1)
    const posted = JSON.parse(receiver.calls[0]?.body ?? '') as Json
    expect(posted).toEqual({ ...RESULT, id, object: 'audio.speech' })
    receiver.close()
  })
})

describe('interface: an asynchronous voice generation', () => {
  // rules: voice-generation.async, creation.model-id, creation.object, task.object
  test('names its model in the creation result and in the task, with the same audio as the synchronous response', async () => {
    const created = await post(GENERATION, { ...generation, async: true })
    const named = { object: 'audio.voice_generation', model_id: 'svc-voice-generator-1.0' }
    expect(created).toEqual({ ...CREATION, ...named, task_id: created['id'] })
    const task = await ended(created['task_id'])
    expect(task).toEqual({ ...RESULT, ...named, id: created['id'] })
    const made = await sound(await fetch(String(task['url'])))
    expect(made.equals(await atOnce(GENERATION, generation))).toBe(true)
  })

  test('fails if its text cannot be spoken', async () => {
    const { id } = await post(GENERATION, { ...generation, input: '🎉🎉', async: true })
    const task = await ended(id)
    expect(task).toMatchObject({ status: 'FAILED', error: { code: 'unspeakable_text' } })
    expect(task).not.toHaveProperty('model_id')
  })

  // rules: voice-generation.webhook-url
  test('is reported to its webhook', async () => {
    const receiver = await startReceiver(() => 204)
    const { id } = await post(GENERATION, { ...generation, async: true, webhook_url: receiver.url })
    await expect.poll(() => receiver.calls.length, { timeout: 20_000 }).toBe(1)
    expect(JSON.parse(receiver.calls[0]?.body ?? '')).toMatchObject({
      id,
      status: 'SUCCESS',
      model_id: generation.model,
    })
    receiver.close()
  })

  test('can be polled and downloaded', async () => {
    const handle = await service.audio.voiceGenerations.createTask(generation)
    const audio = await service.audio.download(await handle.wait())
    expect(audio.contentType).toBe('audio/wav')
    expect((await audio.bytes()).byteLength).toBeGreaterThan(1000)
  })
})

describe.each([
  [DIALOGUE, dialogue],
  [GENERATION, generation],
] as [path: string, body: object][])('%s as a task', (path, body) => {
  test('the same Idempotency-Key returns the same task; another body is a 409', async () => {
    const key = { 'idempotency-key': `key-of-${path}` }
    const first = await post(path, { ...body, async: true }, key)
    expect(await post(path, { ...body, async: true }, key)).toMatchObject({ id: first['id'] })
    const other = await service.request('POST', path, { ...body, async: true, response_format: 'mp3' }, key)
    expect(await errorOf(other)).toEqual({ status: 409, code: 'idempotency_conflict', param: null })
  })

  // rules: dialogue.webhook-url, voice-generation.webhook-url, webhook.https
  test.each(TASK_REFUSALS)('%s is refused, and no task is created', async (_rule, change, status, code, param) => {
    const before = service.countTasks()
    const response = await service.request('POST', path, { ...body, ...change })
    expect(await errorOf(response)).toEqual({ status, code, param })
    expect(service.countTasks()).toBe(before)
  })
})
