import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/drivers/sqlite/database.ts'
import { createVoiceStore } from '../src/drivers/sql/voice-store.ts'
import { shareSqlite } from '../src/drivers/sqlite/service-database.ts'
import { errorOf, OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'
import { buzz, noise, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const SAMPLE = wavOf(buzz(140, 2, 4))

function create(key: string, { name = 'Me', sample = SAMPLE, own = service, headers = {} } = {}): Promise<Response> {
  const form = new FormData()
  form.append('audio_sample', sample)
  form.append('name', name)
  return own.request('POST', '/v1/audio/voices', form, { 'idempotency-key': key, ...headers })
}

async function idOf(response: Response): Promise<string> {
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

const count = async (own = service): Promise<number> => (await own.audio.voices.list({ limit: 150 })).data.length

describe('a voice with an Idempotency-Key', () => {
  test('is created once', async () => {
    const before = await count()
    const first = (await (await create('same')).json()) as object
    expect(await (await create('same')).json()).toEqual(first)
    expect(await count()).toBe(before + 1)
  })

  test('is 409 with another sample or another name', async () => {
    await idOf(await create('other'))
    const before = await count()
    for (const change of [{ sample: wavOf(buzz(200, 2, 4)) }, { name: 'You' }]) {
      expect(await errorOf(await create('other', change))).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    }
    expect(await count()).toBe(before)
  })

  test('many at once create one voice: the others get it or a 409', async () => {
    const before = await count()
    const responses = await Promise.all(Array.from({ length: 6 }, () => create('burst')))
    const made = responses.filter(({ status }) => status === 200)
    const ids = await Promise.all(made.map(idOf))
    expect(new Set(ids).size).toBe(1)
    for (const response of responses.filter((one) => !made.includes(one))) {
      expect(await errorOf(response)).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
    }
    expect(await count()).toBe(before + 1)
  })

  test('a refused request leaves its key free', async () => {
    expect((await create('refused', { sample: wavOf(noise(2)) })).status).toBe(400)
    await idOf(await create('refused'))
  })

  test('of another tenant is another voice', async () => {
    const own = await idOf(await create('tenants'))
    expect(await idOf(await create('tenants', { headers: { authorization: `Bearer ${OTHER_KEY}` } }))).not.toBe(own)
  })

  test('a deleted voice replays the first response and stays deleted', async () => {
    const first = (await (await create('deleted')).json()) as { id: string }
    const before = await count()
    const database = openDatabase(join(service.dataDir, 'service.sqlite'))
    await createVoiceStore(shareSqlite(database)).delete('first', first.id)
    await database.destroy()
    expect(await (await create('deleted')).json()).toEqual(first)
    expect(await count()).toBe(before - 1)
    const body = { model: 'svc-tts-1.0-pro', input: 'Hello.', voice_id: first.id }
    expect((await service.request('POST', '/v1/audio/speech', body)).status).toBe(404)
  })

  test('is known after a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-keys-'))
    const ids: string[] = []
    for (let start = 0; start < 2; start += 1) {
      const own = await startTestService({ dataDir })
      ids.push(await idOf(await create('restart', { own })))
      expect(await count(own)).toBe(5)
      await own.stop()
    }
    expect(ids[0]).toBe(ids[1])
    await rm(dataDir, { recursive: true })
  })
})

test.each(['mp3', 'wav', 'opus', 'flac', 'aac'])(
  'audio as %s under the same key is identical to the last byte, marking included',
  async (response_format) => {
    const aigc_metadata = { enabled: true, propagate_id: 'p-1' }
    const body = { model: 'svc-tts-1.0-pro', input: 'Good morning.', voice_id: 'rms', response_format, aigc_metadata }
    const bytes = async (headers: Record<string, string>): Promise<Buffer> =>
      Buffer.from(await (await service.request('POST', '/v1/audio/speech', body, headers)).bytes())
    const key = { 'idempotency-key': response_format }
    const [first, again, other] = [await bytes(key), await bytes(key), await bytes({})]
    expect(again.equals(first)).toBe(true)
    expect(other.equals(first)).toBe(false)
  },
)

test('a generated voice with a key is made once', async () => {
  const body = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'A child', delivery_method: 'url' }
  const post = () => service.request('POST', '/v1/audio/voice/generations', body, { 'idempotency-key': 'generated' })
  const [first, again] = [await idOf(await post()), await idOf(await post())]
  expect(first).toMatch(/^generation_/)
  expect(again).toBe(first)
})
