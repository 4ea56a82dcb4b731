import { readdir } from 'node:fs/promises'
import type { Voice, VoiceList } from '@svc-audio/core'
import { buzz, noise } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { scriptedEngine } from './support/scripted-engine.ts'
import { errorOf } from './support/test-service.ts'

/** Voices of the engine. */
const BUILT_IN = ['one', 'two', 'three']
const SAMPLE = buzz(140, 2, 4)

let app: FakeApp
/** Whether samples are really measured. Else each one is of a voice. */
let measures = false
beforeEach(async () => {
  const TRAITS = { pitchHz: 140, rangeSemitones: 1, syllablesPerSecond: 4 }
  app = await startFakeApp({
    speech: scriptedEngine(),
    replace: ({ engines: { analyser } }) => ({
      engines: {
        analyser: {
          ...analyser,
          analyse: async (pcm, signal) => (measures ? analyser.analyse(pcm, signal) : TRAITS),
        },
      },
    }),
  })
})
afterEach(() => app.close())

/** The codec of these services reads files as raw PCM. */
function create(sample: Uint8Array = SAMPLE, { name = 'Me', headers = {} } = {}): Promise<Response> {
  const form = new FormData()
  form.append('audio_sample', new Blob([Buffer.from(sample)]))
  form.append('name', name)
  return app.post('/v1/audio/voices', form, headers)
}

async function made(response: Promise<Response>): Promise<Voice> {
  const { status } = await response
  expect(status).toBe(200)
  return (await (await response).json()) as Voice
}

async function list(query = 'limit=150'): Promise<VoiceList> {
  return (await (await app.get(`/v1/audio/voices?${query}`)).json()) as VoiceList
}

const ids = ({ data }: VoiceList): string[] => data.map(({ id }) => id)

describe('a sample', () => {
  beforeEach(() => {
    measures = true
  })
  afterEach(() => {
    measures = false
  })

  const rows: [sample: string, make: () => Uint8Array, message: string][] = [
    ['shorter than a second', () => buzz(140, 0.9, 4), 'The sample is shorter than 1 s'],
    ['larger than 20 MB', () => new Uint8Array(20 * 1024 * 1024 + 1), 'audio_sample must have at most 20 MB'],
    ['much larger than 20 MB', () => new Uint8Array(30 * 1024 * 1024), 'audio_sample must have at most 20 MB'],
    ['empty', () => new Uint8Array(0), 'The sample is shorter than 1 s'],
    ['silence', () => new Uint8Array(64_000), 'The sample contains no voice'],
    ['noise', () => noise(2), 'The sample contains no voice'],
  ]
  test.each(rows)('that is %s makes no voice, and is not stored', async (_sample, make, message) => {
    const refused = await create(make())
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { code: 'invalid_audio_sample', param: 'audio_sample', message },
    })
    expect(await readdir(app.services.objects.uploadFolder)).toEqual([])
    expect(ids(await list())).toEqual(BUILT_IN)
  })

  test('of a second makes a voice, and does not stay', async () => {
    await made(create(buzz(140, 1, 4)))
    expect(await readdir(app.services.objects.uploadFolder)).toEqual([])
  })
})

test('a built-in voice is as old as its engine says', async () => {
  const createdAt = 1_700_000_000
  const engine = scriptedEngine()
  const other = await startFakeApp({
    speech: { ...engine, voices: engine.voices.map(({ id, name, language }) => ({ id, name, language, createdAt })) },
  })
  const { data } = (await (await other.get('/v1/audio/voices')).json()) as VoiceList
  expect(data.map((voice) => voice.created_at)).toEqual(BUILT_IN.map(() => createdAt))
  await other.close()
})

describe('pages over built-in and own voices', () => {
  let all: string[]
  beforeEach(async () => {
    all = [...BUILT_IN]
    for (let n = 0; n < 5; n += 1) all.push((await made(create())).id)
  })

  test.each([1, 2, 3, 4, 5, 20])('of %d follow each other by cursor and by offset, without repeats', async (limit) => {
    const seen: string[] = []
    for (let after = ''; seen.length < all.length;) {
      const page = await list(`limit=${limit}${after}`)
      seen.push(...ids(page))
      expect(page.next_cursor).toBe(page.has_more ? page.last_id : undefined)
      after = `&after=${page.next_cursor}`
    }
    expect(seen).toEqual(all)
    for (let offset = 0; offset < all.length; offset += limit) {
      const page = await list(`limit=${limit}&offset=${offset}`)
      expect(ids(page)).toEqual(all.slice(offset, offset + limit))
      expect([page.has_more, page.first_id, page.last_id]).toEqual([
        offset + limit < all.length,
        all[offset],
        all[Math.min(offset + limit, all.length) - 1],
      ])
    }
  })

  test('end with the last voice, and beyond it', async () => {
    const end = { object: 'list', data: [], has_more: false }
    expect(await list(`after=${all.at(-1)}`)).toEqual(end)
    expect(await list(`offset=${Number.MAX_SAFE_INTEGER}`)).toEqual(end)
  })

  test('select by the status', async () => {
    expect((await list('status=active&limit=150')).data).toHaveLength(all.length)
    expect((await list('status=failed')).data).toEqual([])
  })

  test("begin after no voice of another tenant's", async () => {
    const own = await app.request('GET', `/v1/audio/voices?after=${all.at(-1)}`, undefined, app.second)
    expect(await errorOf(own)).toMatchObject({ status: 400, code: 'invalid_cursor' })
  })
})

test('a voice generation stores no voice', async () => {
  const body = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'A child' }
  expect((await app.post('/v1/audio/voice/generations', body)).status).toBe(200)
  expect(ids(await list())).toEqual(BUILT_IN)
})

describe('a voice with an Idempotency-Key', () => {
  const keyed = (key: string, { name = 'Me', sample = SAMPLE, as = {} } = {}): Promise<Response> =>
    create(sample, { name, headers: { 'idempotency-key': key, ...as } })
  const count = async (): Promise<number> => (await list()).data.length - BUILT_IN.length

  test('is created once', async () => {
    const first = await made(keyed('k'))
    expect(await made(keyed('k'))).toEqual(first)
    expect(await count()).toBe(1)
  })

  test('is 409 with another sample or another name', async () => {
    await made(keyed('k'))
    for (const change of [{ sample: buzz(200, 2, 4) }, { name: 'You' }]) {
      expect(await errorOf(await keyed('k', change))).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    }
    expect(await count()).toBe(1)
  })

  test('of many requests at once is one voice: the others get it or a 409', async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => keyed('k')))
    const bodies = await Promise.all(responses.map(async (one) => (await one.json()) as Voice & { error?: object }))
    const failed = bodies.flatMap(({ error }) => error ?? [])
    expect(failed).toEqual(failed.map(() => expect.objectContaining({ code: 'idempotency_in_progress' }) as object))
    expect(new Set(bodies.flatMap(({ id, error }) => (error === undefined ? id : []))).size).toBe(1)
    expect(await count()).toBe(1)
  })

  test('that is refused leaves its key free', async () => {
    measures = true
    expect((await keyed('k', { sample: noise(2) })).status).toBe(400)
    measures = false
    await made(keyed('k'))
  })

  test('of another tenant is another voice', async () => {
    expect((await made(keyed('k', { as: app.second }))).id).not.toBe((await made(keyed('k'))).id)
  })

  test('that is deleted replays the first response and stays deleted', async () => {
    const first = await made(keyed('k'))
    await app.services.stores.voices.delete('first', first.id)
    expect(await made(keyed('k'))).toEqual(first)
    expect(await count()).toBe(0)
    const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: first.id }
    expect(await errorOf(await app.post('/v1/audio/speech', body))).toMatchObject({ code: 'voice_not_found' })
  })
})
