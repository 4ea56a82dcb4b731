import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('interface: authentication', () => {
  const endpoints: [method: string, path: string][] = [
    ['GET', '/v1/models'],
    ['GET', '/v1/audio/voices'],
    ['POST', '/v1/audio/voices'],
    ['POST', '/v1/audio/voice/generations'],
    ['POST', '/v1/audio/speech'],
    ['POST', '/v1/audio/speech/speakers'],
    ['POST', '/v1/audio/transcriptions'],
    ['GET', '/v1/audio/tasks/task_1'],
  ]
  // rules: auth.bearer
  test.each(endpoints)('%s %s needs a known bearer key', async (method, path) => {
    for (const [authorization, code] of [
      ['', 'missing_api_key'],
      ['Basic dTpw', 'missing_api_key'],
      ['Bearer', 'missing_api_key'],
      ['Bearer wrong', 'invalid_api_key'],
    ] as const) {
      const response = await fetch(`${service.url}${path}`, { method, headers: { authorization } })
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect(await errorOf(response)).toEqual({ status: 401, code, param: null })
    }
  })

  test('the health check needs no key', async () => {
    const response = await fetch(`${service.url}/healthz`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok' })
  })
})

test('every response has a different request id', async () => {
  const ids = await Promise.all(
    ['/healthz', '/v1/models', '/nothing'].map(async (path) => {
      const response = await service.request('GET', path)
      await response.body?.cancel()
      return response.headers.get('x-request-id')
    }),
  )
  expect(new Set(ids).size).toBe(3)
  expect(ids.every((id) => /^[\da-f-]{36}$/.test(id ?? ''))).toBe(true)
})

// rules: voice-creation.no-retrieval, model-listing.no-detail
test('an unknown path is a 404, an unknown method a 405 with the allowed ones', async () => {
  expect(await errorOf(await service.request('GET', '/v1/audio/nothing'))).toMatchObject({
    status: 404,
    code: 'not_found',
  })
  // Interface: a model and a voice have no detail endpoint.
  expect((await service.request('GET', '/v1/models/svc-tts-1.5-flash')).status).toBe(404)
  expect((await service.request('GET', '/v1/audio/voices/rms')).status).toBe(404)
  const wrong = await service.request('DELETE', '/v1/audio/speech')
  expect(wrong.headers.get('allow')).toBe('POST')
  const changed = await service.request('PUT', '/v1/files/file_1')
  expect(changed.headers.get('allow')).toBe('GET, HEAD, DELETE')
  expect(await errorOf(wrong)).toMatchObject({ status: 405, code: 'method_not_allowed' })
})

// rules: model-listing.endpoint, model.fields, general.svc-word
test('interface: models are listed with id, object, created and owner', async () => {
  const { object, data } = await service.audio.models.list()
  expect(object).toBe('list')
  expect(data.map((model) => model.id)).toEqual([
    'svc-tts-1.5-flash',
    'svc-tts-1.5-flash-2026-11-21',
    'svc-tts-1.0-pro',
    'svc-tts-1.0-pro-2026-11-21',
    'svc-ttsd-1.0',
    'svc-ttsd-1.0-2026-03-20',
    'svc-transcribe-1.0',
    'svc-transcribe-diarize-pro',
    'svc-voice-generator-1.0',
  ])
  for (const model of data) {
    expect(model).toEqual({ id: model.id, object: 'model', created: expect.any(Number), owned_by: 'svc-audio' })
  }
})

describe('interface: list voices', () => {
  // rules: voice-listing.endpoint, voice-list.fields, voice-list.page-ids, voice.fields, voice.no-urls
  test('all voices fit on the first page', async () => {
    const list = await service.audio.voices.list()
    expect(list.data.map((voice) => voice.id)).toEqual(['rms', 'slt', 'awb', 'kal16'])
    expect(list).toMatchObject({ object: 'list', has_more: false, first_id: 'rms', last_id: 'kal16' })
    expect(list).not.toHaveProperty('next_cursor')
    for (const voice of list.data) {
      expect(voice).toMatchObject({
        id: voice.id,
        object: 'audio.voice',
        name: voice.name,
        created_at: expect.any(Number),
      })
      // Fields of the service beside those of the interface.
      const own = Object.keys(voice).filter((name) => !['id', 'object', 'name', 'created_at'].includes(name))
      expect(own.toSorted()).toEqual(['gender', 'language'])
      expect(voice.name).not.toBe('')
    }
  })

  // rules: voice-list.cursor, voice-listing.after, voice-listing.offset
  test('pages follow each other by cursor and by offset', async () => {
    const first = await service.audio.voices.list({ limit: 3 })
    expect(first).toMatchObject({ has_more: true, last_id: 'awb' })
    const second = await service.audio.voices.list({ limit: 3, after: first.next_cursor ?? '' })
    expect(second).toMatchObject({ has_more: false, first_id: 'kal16', last_id: 'kal16' })
    expect((await service.audio.voices.list({ offset: 1, limit: 1 })).data).toMatchObject([{ id: 'slt' }])
    const beyond = await service.audio.voices.list({ offset: 100 })
    expect(beyond).toEqual({ object: 'list', data: [], has_more: false })
  })

  // rules: voice-listing.status
  test('status filters', async () => {
    expect((await service.audio.voices.list({ status: 'active' })).data).toHaveLength(4)
    expect((await service.audio.voices.list({ status: 'failed' })).data).toHaveLength(0)
  })

  const rows: [query: string, code: string, param: string][] = [
    ['limit=0', 'invalid_range', 'limit'],
    // rules: voice-listing.limit
    ['limit=151', 'invalid_range', 'limit'],
    ['limit=1.5', 'invalid_range', 'limit'],
    ['limit=ten', 'invalid_type', 'limit'],
    ['offset=-1', 'invalid_range', 'offset'],
    ['after=nobody', 'invalid_cursor', 'after'],
    ['after=rms&offset=1', 'ambiguous_paging', 'after'],
    ['status=happy', 'invalid_value', 'status'],
  ]
  test.each(rows)('?%s is refused', async (query, code, param) => {
    const response = await service.request('GET', `/v1/audio/voices?${query}`)
    expect(await errorOf(response)).toEqual({ status: 400, code, param })
  })

  // rules: voice-listing.limit
  test('a limit of 150 is accepted', async () => {
    expect((await service.request('GET', '/v1/audio/voices?limit=150')).status).toBe(200)
  })
})
