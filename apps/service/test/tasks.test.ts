import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UndecodableAudioError, UnspeakableTextError } from '@svc-audio/engine-ports'
import { runTask } from '../src/workers/run-task.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { claimAgain, namesIn } from './support/fake-services.ts'

let app: FakeApp
beforeEach(async () => {
  app = await startFakeApp()
})
afterEach(() => app.close())

type Json = Record<string, unknown>

const SPEECH = '/v1/audio/speech'
const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: 'v', response_format: 'wav' }
const transcription = { model: 'svc-transcribe-1.0' }

async function created(path: string = SPEECH, sent: object = { ...body, async: true }): Promise<string> {
  const response = await app.post(path, sent)
  const { id, status } = (await response.json()) as { id: string; status: string }
  expect(status).toBe('PENDING')
  return id
}

async function seen(id: string): Promise<Json> {
  return (await (await app.get(`/v1/audio/tasks/${id}`)).json()) as Json
}

/** Works on the next task to its end. */
async function work(): Promise<void> {
  await runTask(app.services, await claimAgain(app.services))
}

function form(fields: object = { ...transcription, async: 'true' }): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, String(value))
  data.append('file', new Blob(['sound']), 'a.wav')
  return data
}

test('a task is PENDING until it starts, PROCESSING until it ends, then SUCCESS', async () => {
  const id = await created()
  expect(await seen(id)).toMatchObject({ status: 'PENDING', retry_after: 1 })
  const speaking = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  app.services.speakWith = async (text) => {
    speaking.resolve()
    await go.promise
    return Buffer.from(text)
  }
  const running = work()
  await speaking.promise
  const processing = await seen(id)
  expect(processing).toMatchObject({ status: 'PROCESSING', retry_after: 1 })
  expect(processing).not.toHaveProperty('url')
  go.resolve()
  await running
  const done = await seen(id)
  expect(done).toMatchObject({ status: 'SUCCESS', response_format: 'wav' })
  expect(done).not.toHaveProperty('retry_after')
})

const error = { code: 'broken', message: 'It broke' }

test.each(['SUCCESS', 'FAILED'] as const)('nothing changes a %s task', async (status) => {
  const id = await created()
  const { services } = app
  const claim = await claimAgain(services)
  if (status === 'SUCCESS') await runTask(services, claim)
  else await services.stores.tasks.fail(claim, error)
  const { url: _, ...before } = await seen(id)
  expect(before['status']).toBe(status)
  await services.clock.pass(60_000)
  await runTask(services, claim)
  expect(await services.stores.tasks.fail(claim, error)).toBe(false)
  expect(await services.stores.tasks.claim(1000)).toBeUndefined()
  const { url: _again, ...after } = await seen(id)
  expect(after).toEqual(before)
})

test("the error of a failed task has another shape than a response's error", async () => {
  const id = await created()
  const { services } = app
  await services.stores.tasks.fail(await claimAgain(services), error)
  expect(await seen(id)).toMatchObject({ status: 'FAILED', error })
  const refused = await app.post(SPEECH, { ...body, input: '' })
  const response = (await refused.json()) as { error: object }
  expect(Object.keys(response.error)).toEqual(['code', 'message', 'type', 'param'])
})

describe('a task makes what the same request makes at once', () => {
  const dialogue = {
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'a', voice_id: 'v' }],
    segments: [
      { speaker: 'a', text: 'Did you sleep well?' },
      { speaker: 'a', text: 'I did.' },
    ],
    response_format: 'wav',
  }
  const generation = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'A man', response_format: 'wav' }
  const requests: [path: string, sent: object][] = [
    [SPEECH, body],
    [`${SPEECH}/speakers`, dialogue],
    ['/v1/audio/voice/generations', generation],
  ]
  test.each(requests)('%s', async (path, sent) => {
    const whole = await (await app.post(path, sent)).bytes()
    const id = await created(path, { ...sent, async: true })
    await work()
    const { pathname, search } = new URL(String((await seen(id))['url']))
    expect(Buffer.compare(await (await app.get(pathname + search)).bytes(), whole)).toBe(0)
  })

  test('a transcription with speakers', async () => {
    const speakers = { model: 'svc-transcribe-diarize-pro' }
    const whole = (await (await app.post('/v1/audio/transcriptions', form(speakers))).json()) as Json
    const id = await created('/v1/audio/transcriptions', form({ ...speakers, async: 'true' }))
    await work()
    expect(await seen(id)).toMatchObject({ ...whole, status: 'SUCCESS' })
  })
})

describe('a task fails with the code of the error that the same request has at once', () => {
  test.each([SPEECH, '/v1/audio/voice/generations'])('%s of a text that nobody can speak', async (path) => {
    app.services.speakWith = () => Promise.reject(new UnspeakableTextError('There is nothing to speak'))
    const instruction = { model: 'svc-voice-generator-1.0', instruction: 'A man' }
    const id = await created(path, { ...body, ...(path === SPEECH ? {} : instruction), async: true })
    await work()
    const task = await seen(id)
    expect(task).toMatchObject({ status: 'FAILED', error: { code: 'unspeakable_text' } })
    for (const field of ['retry_after', 'model_id', 'url']) expect(task).not.toHaveProperty(field)
  })

  test('a transcription of a file without audio', async () => {
    app.services.hear = () => Promise.reject(new UndecodableAudioError('There is no audio'))
    const id = await created('/v1/audio/transcriptions', form())
    await work()
    expect(await seen(id)).toMatchObject({ status: 'FAILED', error: { code: 'undecodable_audio' } })
  })

  test('a transcription of a stored file that was deleted in the meantime', async () => {
    const { id: file_id } = (await (await app.post('/v1/files', form())).json()) as { id: string }
    const id = await created('/v1/audio/transcriptions', { ...transcription, file_id, async: true })
    expect((await app.delete(`/v1/files/${file_id}`)).status).toBe(200)
    await work()
    expect(await seen(id)).toMatchObject({ status: 'FAILED', error: { code: 'file_not_found' } })
    expect(await namesIn(app.services.objects.uploads)).toEqual([])
  })
})

test('the file of a transcription is stored until its task has succeeded', async () => {
  await created('/v1/audio/transcriptions', form())
  expect(await namesIn(app.services.objects.inputs)).toHaveLength(1)
  await work()
  expect(await namesIn(app.services.objects.inputs)).toEqual([])
})

test('a transcription does not delete the stored file that it reads', async () => {
  const { id: file_id } = (await (await app.post('/v1/files', form())).json()) as { id: string }
  expect((await app.post('/v1/audio/transcriptions', { ...transcription, file_id })).status).toBe(200)
  expect(await namesIn(app.services.objects.uploads)).toEqual([file_id])
})
