import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { errorOf } from './support/test-service.ts'

type Json = Record<string, unknown>

const SPEECH = '/v1/audio/speech'
const DIALOGUE = '/v1/audio/speech/speakers'
const GENERATION = '/v1/audio/voice/generations'
const TRANSCRIPTION = '/v1/audio/transcriptions'
const VOICE = { base: 'v', pitchHz: 120, rangeSemitones: 1, tempo: 1, size: 1 }

let app: FakeApp
beforeEach(async () => {
  app = await startFakeApp()
  const own = { name: '', description: '', status: 'active', parameters: VOICE } as const
  await app.services.stores.voices.create({ ...own, id: 'own', tenant: 'first' })
})
afterEach(() => app.close())

const send = (path: string, body: object, key = 'k'): Promise<Response> =>
  app.post(path, body, { 'idempotency-key': key })

async function json(response: Response): Promise<Json> {
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

function form(fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.set('file', new Blob(['sound']), 'a.wav')
  return data
}

const upload = (key = 'upload'): Promise<Response> => send('/v1/files', form(), key)

const speech = { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'own', response_format: 'wav' }
const dialogue = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'a', voice_id: 'own' }],
  segments: [{ speaker: 'a', text: 'Hi.' }],
}
const generation = { model: 'svc-voice-generator-1.0', input: 'Good morning.', instruction: 'A deep voice' }
const transcription = { model: 'svc-transcribe-1.0' }

const tasks: [what: string, path: string, body: () => object][] = [
  ['speech', SPEECH, () => ({ ...speech, async: true })],
  ['a dialogue', DIALOGUE, () => ({ ...dialogue, async: true })],
  ['a voice generation', GENERATION, () => ({ ...generation, async: true })],
  ['a transcription of an upload', TRANSCRIPTION, () => form({ ...transcription, async: 'true' })],
  ['a transcription of a URL', TRANSCRIPTION, () => ({ ...transcription, url: 'https://example.com/', async: true })],
]
const files: [what: string, path: string, body: () => object][] = [
  ['speech', SPEECH, () => ({ ...speech, delivery_method: 'url' })],
  ['a dialogue', DIALOGUE, () => ({ ...dialogue, delivery_method: 'url' })],
  ['a voice generation', GENERATION, () => ({ ...generation, delivery_method: 'url' })],
]

/** From now on the tenant may neither store anything nor create a task. */
async function fill(): Promise<void> {
  await app.services.fillStorage('first')
  Object.assign(app.services.settings, { openTasksPerTenant: 0 })
}

describe('a repeated request without room left gets the first response', () => {
  test.each(tasks)('%s as a task', async (_what, path, body) => {
    const first = await json(await send(path, body()))
    const inputs = await namesIn(app.services.objects.inputs)
    await fill()
    expect(await json(await send(path, body()))).toEqual(first)
    expect(await namesIn(app.services.objects.inputs)).toEqual(inputs)
    expect((await send(path, body(), 'another')).status).toBe(429)
  })

  test.each(files)('%s as a URL', async (_what, path, body) => {
    const first = await json(await send(path, body()))
    await fill()
    expect(await json(await send(path, body()))).toMatchObject({ id: first['id'], object: first['object'] })
    expect((await send(path, body(), 'another')).status).toBe(429)
  })

  test('an uploaded file', async () => {
    const first = await json(await upload())
    await fill()
    expect(await json(await upload())).toEqual(first)
    expect(await errorOf(await upload('another'))).toMatchObject({ status: 429, code: 'storage_quota_exceeded' })
    expect(await namesIn(app.services.objects.uploads)).toEqual([first['id']])
  })

  test('a stream', async () => {
    const stream = { ...speech, response_format: 'pcm', stream: true, stream_format: 'sse' }
    const first = await (await send(SPEECH, stream)).text()
    await fill()
    expect(await (await send(SPEECH, stream)).text()).toBe(first)
    expect((await send(SPEECH, stream, 'another')).status).toBe(429)
  })
})

describe('many identical requests at once, with room for one, all get the first response', () => {
  const burst = async (make: (key: string) => Promise<Response>): Promise<Json[]> => {
    await app.services.fillStorage('first', 'sound'.length)
    const all = await Promise.all(Array.from({ length: 6 }, () => make('k').then(json)))
    expect(await errorOf(await make('another'))).toMatchObject({ status: 429, code: 'storage_quota_exceeded' })
    return all
  }

  test('an uploaded file', async () => {
    const all = await burst(upload)
    expect(all).toEqual(all.map(() => all[0]))
    expect(await namesIn(app.services.objects.uploads)).toEqual([all[0]?.['id']])
  })

  test('the task of an upload', async () => {
    const all = await burst((key) => send(TRANSCRIPTION, form({ ...transcription, async: 'true' }), key))
    expect(all).toEqual(all.map(() => all[0]))
    expect(await namesIn(app.services.objects.inputs)).toHaveLength(1)
  })

  test.each(tasks.slice(0, 3))('%s as a task, whose result takes the remaining room', async (_what, path, body) => {
    const { results } = app.services.objects
    const { tasks: store } = app.services.stores
    const [of, accept] = [results.of.bind(results), store.accept.bind(store)]
    const full = Promise.withResolvers<void>()
    let looks = 0
    // Any later check for room finds none.
    vi.spyOn(results, 'of').mockImplementation((tenant) => ({
      ...of(tenant),
      async requireRoom(bytes) {
        looks += 1
        if (looks > 1) await full.promise
        return of(tenant).requireRoom(bytes)
      },
    }))
    vi.spyOn(store, 'accept').mockImplementation(async (order) => {
      await settle()
      const acceptance = await accept(order)
      await app.services.fillStorage('first')
      full.resolve()
      return acceptance
    })
    const all = await Promise.all(Array.from({ length: 6 }, () => send(path, body()).then(json)))
    expect(all).toEqual(all.map(() => all[0]))
    expect(looks).toBe(1)
    expect(await errorOf(await send(path, body(), 'another'))).toMatchObject({ code: 'storage_quota_exceeded' })
  })

  test('a task in a voice that is deleted in the meantime', async () => {
    const { tasks: store, voices } = app.services.stores
    const [find, accept] = [voices.find.bind(voices), store.accept.bind(store)]
    const gone = Promise.withResolvers<void>()
    let looks = 0
    // Any later lookup finds no voice.
    vi.spyOn(voices, 'find').mockImplementation(async (...which) => {
      looks += 1
      if (looks > 1) await gone.promise
      return find(...which)
    })
    vi.spyOn(store, 'accept').mockImplementation(async (order) => {
      await settle()
      const acceptance = await accept(order)
      await voices.delete('first', 'own')
      gone.resolve()
      return acceptance
    })
    const body = { ...speech, async: true }
    const all = await Promise.all(Array.from({ length: 6 }, () => send(SPEECH, body).then(json)))
    expect(all).toEqual(all.map(() => all[0]))
  })

  test('another request with the key is 409, not 429', async () => {
    await app.services.fillStorage('first', 'sound'.length)
    const [first, other] = [upload('k'), send('/v1/files', form({ purpose: 'p' }), 'k')]
    const statuses = new Set([(await first).status, (await other).status])
    expect(statuses).toEqual(new Set([200, 409]))
  })
})

describe('a repeated request for a deleted file or voice gets the first response', () => {
  test('the task of a file', async () => {
    const { id } = await json(await upload())
    const body = { ...transcription, file_id: id, async: true }
    const first = await json(await send(TRANSCRIPTION, body))
    expect((await app.delete(`/v1/files/${String(id)}`)).status).toBe(200)
    expect(await json(await send(TRANSCRIPTION, body))).toEqual(first)
    expect(await errorOf(await send(TRANSCRIPTION, body, 'another'))).toMatchObject({ code: 'file_not_found' })
  })

  test.each([...tasks.slice(0, 2), ...files.slice(0, 2)])('%s in a voice of the tenant', async (_w, path, body) => {
    const first = await json(await send(path, body()))
    await app.services.stores.voices.delete('first', 'own')
    expect(await json(await send(path, body()))).toMatchObject({ id: first['id'] })
    expect(await errorOf(await send(path, body(), 'another'))).toMatchObject({ code: 'voice_not_found' })
  })
})

describe('a file that was deleted', () => {
  test('is the response to a repeated upload, and stays deleted', async () => {
    const first = await json(await upload())
    expect((await app.delete(`/v1/files/${String(first['id'])}`)).status).toBe(200)
    expect(await json(await upload())).toEqual(first)
    expect((await app.get(`/v1/files/${String(first['id'])}`)).status).toBe(404)
    expect(await namesIn(app.services.objects.uploads)).toEqual([])
  })

  test('blocks its key for other requests for a day', async () => {
    const first = await json(await upload())
    await app.delete(`/v1/files/${String(first['id'])}`)
    expect(await errorOf(await send(SPEECH, { ...speech, async: true }, 'upload'))).toMatchObject({ status: 409 })
    expect(await errorOf(await send('/v1/files', form({ purpose: 'p' }), 'upload'))).toMatchObject({ status: 409 })
    await app.services.stores.responses.expire({ before: app.services.clock.now() + 1, limit: 10 })
    expect((await json(await upload()))['id']).not.toBe(first['id'])
  })
})

describe('a repeated transcription that is no task', () => {
  const STREAM = { model: 'svc-transcribe-diarize-pro', stream: 'true' }
  const OPENAI = '/openai/v1/audio/transcriptions'
  const ways: [what: string, path: string, fields: Record<string, string>][] = [
    ['as JSON', TRANSCRIPTION, transcription],
    ['as text', TRANSCRIPTION, { ...transcription, response_format: 'text' }],
    ['as events', TRANSCRIPTION, STREAM],
    ["by OpenAI's names", OPENAI, transcription],
    ["as events by OpenAI's names", OPENAI, STREAM],
  ]

  test.each(ways)('%s is made again, and its work is not counted again', async (_what, path, fields) => {
    const counted = async (key: string): Promise<[text: string, seconds: number]> => {
      const before = app.services.runtime.totals.recordingSeconds
      const response = await send(path, form(fields), key)
      expect(response.status).toBe(200)
      // the ids of the tasks of two streams differ
      const text = (await response.text()).replaceAll(/"task_\w+"/g, '"task"')
      await settle()
      return [text, app.services.runtime.totals.recordingSeconds - before]
    }
    const [text, seconds] = await counted('k')
    expect(seconds).toBeGreaterThan(0)
    expect(await counted('k')).toEqual([text, 0])
    expect(await counted('another')).toEqual([text, seconds])
    expect(await errorOf(await send(path, form({ ...fields, prompt: 'Fox' })))).toMatchObject({ status: 409 })
  })

  test('that failed leaves its key free, and counts when it succeeds', async () => {
    const { recognition } = app.services.engines
    vi.spyOn(recognition, 'recognize').mockRejectedValueOnce(new Error('No'))
    expect((await send(TRANSCRIPTION, form(transcription))).status).toBe(500)
    await json(await send(TRANSCRIPTION, form(transcription)))
    expect(app.services.runtime.totals.recordingSeconds).toBeGreaterThan(0)
  })
})

test('a repeat that now breaks a rule still gets its response; another body is a 409', async () => {
  const body = { ...speech, async: true }
  const first = await json(await send(SPEECH, body))
  Object.assign(app.services.settings, { maxInputCharacters: 1 })
  expect(await json(await send(SPEECH, body))).toEqual(first)
  expect(await errorOf(await send(SPEECH, { ...body, input: 'Hi.' }))).toMatchObject({ code: 'idempotency_conflict' })
})
