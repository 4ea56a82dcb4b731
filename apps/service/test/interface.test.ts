import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/drivers/sqlite/database.ts'
import { shareSqlite } from '../src/drivers/sqlite/service-database.ts'
import { createKeyStore, hashKey } from '../src/drivers/sql/key-store.ts'
import { DIALOGUE, GENERATION, SPEECH as speechRequest } from './support/requests.ts'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'
import { buzz, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const { path: SPEECH, body: speech } = speechRequest
const REQUESTS = [speechRequest, DIALOGUE, GENERATION]

function sampleForm(): FormData {
  const form = new FormData()
  form.append('audio_sample', wavOf(buzz(140, 2, 4)))
  return form
}

describe('interface: endpoints', () => {
  // rules: endpoints.json, speech.endpoint, dialogue.endpoint, voice-generation.endpoint
  test.each(REQUESTS)('$path accepts JSON only', async ({ path, body }) => {
    expect((await service.request('POST', path, body)).status).toBe(200)
    for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', 'application/xml']) {
      const response = await service.request('POST', path, body, { 'content-type': contentType })
      expect(await errorOf(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
    }
    expect((await service.request('POST', path, sampleForm())).status).toBe(415)
  })

  // rules: endpoints.exact-names
  test('field names are exact: another spelling is an unknown field', async () => {
    const { voice_id, ...rest } = speech
    for (const name of ['voiceId', 'Voice_id', 'voice-id', 'voice']) {
      const response = await service.request('POST', SPEECH, { ...rest, [name]: voice_id })
      expect(await errorOf(response)).toEqual({ status: 400, code: 'missing_required_field', param: 'voice_id' })
    }
    const other = await service.request('POST', SPEECH, { ...speech, responseFormat: 'wav' })
    expect(other.headers.get('content-type')).toBe('audio/mpeg')
  })

  // rules: stream.endpoint
  test('speech streams at the same path, only with stream: true', async () => {
    const streamed = await service.request('POST', SPEECH, { ...speech, response_format: 'pcm', stream: true })
    expect(streamed.headers.get('x-sample-rate')).toBe('16000')
    const whole = await service.request('POST', SPEECH, { ...speech, response_format: 'pcm', stream: false })
    expect(whole.headers.get('x-sample-rate')).toBeNull()
    expect((await whole.bytes()).byteLength).toBe((await streamed.bytes()).byteLength)
    const text = await service.request('POST', SPEECH, { ...speech, response_format: 'pcm', stream: 'true' })
    expect(await errorOf(text)).toEqual({ status: 400, code: 'invalid_type', param: 'stream' })
  })

  // rules: versioning.v1
  test.each(['/api/v1/models', '/models', '/v2/models', '/api/v1/audio/voices'])('nothing is at %s', async (path) => {
    expect(await errorOf(await service.request('GET', path))).toMatchObject({ status: 404, code: 'not_found' })
  })

  // rules: model.id-use
  test('every listed speech model is accepted by its endpoint', async () => {
    const { data } = await service.audio.models.list()
    const taken: string[] = []
    for (const { id } of data) {
      for (const { path, body } of REQUESTS) {
        const response = await service.request('POST', path, { ...body, model: id })
        if (response.status === 200) taken.push(id)
        await response.body?.cancel()
      }
    }
    expect(taken).toEqual(data.map(({ id }) => id).filter((id) => !id.startsWith('svc-transcribe')))
  })
})

// rules: general.timestamps
test('interface: times are whole Unix seconds', async () => {
  const before = Math.floor(Date.now() / 1000)
  const voice = await service.request('POST', '/v1/audio/voices', sampleForm())
  const result = await service.request('POST', SPEECH, { ...speech, delivery_method: 'url' })
  const task = await service.request('POST', SPEECH, { ...speech, async: true })
  const times: unknown[] = []
  for (const response of [voice, result, task]) {
    const answer = (await response.json()) as { created_at: number; updated_at?: number }
    times.push(answer.created_at, answer.updated_at ?? answer.created_at)
  }
  const after = Math.floor(Date.now() / 1000)
  const fits = (time: unknown): boolean => Number.isInteger(time) && Number(time) >= before && Number(time) <= after
  expect(times.filter((time) => !fits(time))).toEqual([])
})

describe('interface: keys', () => {
  // rules: auth.deleted-key
  test('a deleted key is refused on the next request', async () => {
    const database = openDatabase(`${service.dataDir}/service.sqlite`)
    try {
      const { key } = await createKeyStore(shareSqlite(database), new Map()).create('third')
      const headers = { authorization: `Bearer ${key}` }
      expect((await service.request('GET', '/v1/models', undefined, headers)).status).toBe(200)
      await database.deleteFrom('api_keys').where('hash', '=', hashKey(key)).execute()
      const refused = await service.request('GET', '/v1/models', undefined, headers)
      expect(await errorOf(refused)).toEqual({ status: 401, code: 'invalid_api_key', param: null })
    } finally {
      await database.destroy()
    }
  })

  // rules: auth.whole-account
  test('one key works for every endpoint', async () => {
    const headers = { authorization: `Bearer ${KEY}` }
    const responses = await Promise.all([
      ...REQUESTS.map(({ path, body }) => service.request('POST', path, body, headers)),
      service.request('POST', '/v1/audio/voices', sampleForm(), headers),
      service.request('GET', '/v1/audio/voices', undefined, headers),
      service.request('GET', '/v1/models', undefined, headers),
    ])
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    const none = await service.request('GET', '/v1/audio/tasks/none', undefined, headers)
    expect(await errorOf(none)).toMatchObject({ code: 'task_not_found' })
  })
})
