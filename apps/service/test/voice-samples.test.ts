import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'
import { buzz, noise, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const PATH = '/v1/audio/voices'
const SAMPLE = wavOf(buzz(140, 2, 4))

function create(fields: Record<string, string | Blob | readonly string[]>): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, one)
  }
  return service.request('POST', PATH, form)
}

const INVALID = { status: 400, code: 'invalid_audio_sample', param: 'audio_sample' }

describe('samples that make no voice', () => {
  const rows: [sample: string, make: () => Blob][] = [
    ['shorter than a second', () => wavOf(buzz(140, 0.9, 4))],
    ['longer than five minutes', () => wavOf(buzz(140, 301, 4))],
    ['larger than 20 MB', () => new Blob([new Uint8Array(20 * 1024 * 1024 + 1)])],
    ['much larger than 20 MB', () => new Blob([new Uint8Array(30 * 1024 * 1024)])],
    ['empty', () => new Blob([])],
    ['no audio', () => new Blob(['These are words, not sounds. '.repeat(1000)])],
    ['a WAV that is cut within its header', () => SAMPLE.slice(0, 30)],
    ['silence', () => wavOf(new Uint8Array(64_000))],
    ['noise', () => wavOf(noise(2))],
  ]
  test.each(rows)('%s is 400 invalid_audio_sample', async (_sample, make) => {
    expect(await errorOf(await create({ audio_sample: make() }))).toEqual(INVALID)
    expect(await service.list('uploads')).toEqual([])
  })

  test('the message names the fault and no path', async () => {
    const response = await create({ audio_sample: wavOf(buzz(140, 0.9, 4)) })
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toBe('The sample is shorter than 1 s')
  })
})

test.each([1, 300])('a sample of %d s makes a voice', async (seconds) => {
  expect((await create({ audio_sample: wavOf(buzz(140, seconds, 4)) })).status).toBe(200)
})

test('no refused sample has left a voice', async () => {
  const before = (await service.audio.voices.list({ limit: 150 })).data.length
  await create({ audio_sample: wavOf(noise(2)) })
  expect((await service.audio.voices.list({ limit: 150 })).data).toHaveLength(before)
})

describe('refused forms', () => {
  const rows: [rule: string, fields: Parameters<typeof create>[0], code: string, param: string][] = [
    // rules: voice-creation.sample
    ['no sample', { name: 'Someone' }, 'missing_required_field', 'audio_sample'],
    ['a sample as text', { audio_sample: 'UklGRg==' }, 'missing_required_field', 'audio_sample'],
    // rules: errors.voice-body
    ['a file of another name', { file: SAMPLE }, 'unexpected_file', 'audio_sample'],
    // rules: voice-creation.sample-only
    ['a file id', { audio_sample: SAMPLE, file_id: 'file_1' }, 'unsupported_field', 'file_id'],
    ['a file id alone', { file_id: 'file_1' }, 'unsupported_field', 'file_id'],
    // rules: voice-creation.sample-only
    ['an address', { audio_url: 'https://example.com/a.wav' }, 'unsupported_field', 'audio_url'],
    // rules: voice-creation.sample-only
    ['base64 data', { audio_data: 'UklGRg==' }, 'unsupported_field', 'audio_data'],
    ['a very long name', { audio_sample: SAMPLE, name: 'x'.repeat(201) }, 'field_too_long', 'name'],
    ['two names', { audio_sample: SAMPLE, name: ['a', 'b'] }, 'invalid_type', 'name'],
    [
      'a very long description',
      { audio_sample: SAMPLE, description: 'x'.repeat(2001) },
      'field_too_long',
      'description',
    ],
  ]
  test.each(rows)('%s', async (_rule, fields, code, param) => {
    expect(await errorOf(await create(fields))).toEqual({ status: 400, code, param })
  })

  test('two samples', async () => {
    const form = new FormData()
    form.append('audio_sample', SAMPLE)
    form.append('audio_sample', SAMPLE)
    expect(await errorOf(await service.request('POST', PATH, form))).toMatchObject({ status: 400 })
  })
})

describe('interface: only multipart is taken', () => {
  const rows: [contentType: string, body: string][] = [
    ['application/json', JSON.stringify({ audio_sample: 'UklGRg==' })],
    ['application/json', '{'],
    ['application/json', JSON.stringify({ audio_data: 'x'.repeat(3_000_000) })],
    ['audio/wav', 'RIFF'],
    ['application/x-www-form-urlencoded', 'audio_url=https%3A%2F%2Fexample.com'],
    ['multipart/mixed; boundary=x', '--x--'],
  ]
  // rules: voice-creation.multipart, voice-creation.sample-only, errors.voice-body
  test.each(rows)('%s is 415', async (contentType, body) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': contentType }
    const response = await fetch(`${service.url}${PATH}`, { method: 'POST', headers, body })
    expect(await errorOf(response)).toEqual({ status: 415, code: 'unsupported_media_type', param: 'audio_sample' })
  })

  test('no body', async () => {
    const response = await service.request('POST', PATH)
    expect(await errorOf(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })
})

describe('pages over built-in and custom voices', () => {
  const own: string[] = []
  let all: string[]
  beforeAll(async () => {
    for (let n = 0; n < 5; n += 1) own.push((await service.audio.voices.create({ audio_sample: SAMPLE })).id)
    all = (await service.audio.voices.list({ limit: 150 })).data.map(({ id }) => id)
  })

  test.each([1, 2, 3, 4, 5, 20])(
    'pages of %d follow each other by cursor to the end, without repeats',
    async (limit) => {
      const ids: string[] = []
      for await (const voice of service.audio.voices.list({ limit })) ids.push(voice.id)
      expect(ids).toEqual(all)
      expect(all.slice(-5)).toEqual(own)
    },
  )

  test.each([1, 3, 4, 5])('pages of %d follow each other by offset', async (limit) => {
    const ids: string[] = []
    for (let offset = 0; offset < all.length; offset += limit) {
      const page = await service.audio.voices.list({ limit, offset })
      ids.push(...page.data.map(({ id }) => id))
      expect(page.has_more).toBe(offset + limit < all.length)
      expect(page.first_id).toBe(all[offset])
      expect(page.last_id).toBe(all[Math.min(offset + limit, all.length) - 1])
      expect(page.next_cursor).toBe(page.has_more ? page.last_id : undefined)
    }
    expect(ids).toEqual(all)
  })

  test('the page after the last built-in voice starts with the custom ones', async () => {
    const first = await service.audio.voices.list({ limit: 4 })
    expect(first).toMatchObject({ has_more: true, last_id: 'kal16', next_cursor: 'kal16' })
    const second = await service.audio.voices.list({ limit: 150, after: 'kal16' })
    expect(second.data.map(({ id }) => id)).toEqual(all.slice(4))
  })

  test('the last voice ends the list', async () => {
    const end = await service.audio.voices.list({ after: all.at(-1) ?? '' })
    expect(end).toEqual({ object: 'list', data: [], has_more: false })
    const beyond = await service.audio.voices.list({ offset: Number.MAX_SAFE_INTEGER })
    expect(beyond).toEqual({ object: 'list', data: [], has_more: false })
  })

  test('every voice is active', async () => {
    expect((await service.audio.voices.list({ status: 'active', limit: 150 })).data).toHaveLength(all.length)
    expect((await service.audio.voices.list({ status: 'failed' })).data).toEqual([])
  })
})
