import { ApiError } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { peak, riffChunks, riffSize } from './support/audio.ts'
import { AUDIO_REFUSALS, type Refusal, TASK_REFUSALS } from './support/refusals.ts'
import { SPEECH } from './support/requests.ts'
import { errorOf, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const { body } = SPEECH
const starts = (bytes: Uint8Array, ...prefix: (string | number)[]): boolean =>
  prefix.some((one) => {
    const start = Buffer.from(typeof one === 'string' ? one : [one >> 8, one & 0xff])
    return Buffer.from(bytes.subarray(0, start.length)).equals(start)
  })

describe('interface: speech, response_format', () => {
  const rows: [format: string, contentType: string, ...signatures: (string | number)[]][] = [
    ['mp3', 'audio/mpeg', 'ID3', 0xff_fb, 0xff_f3],
    ['wav', 'audio/wav', 'RIFF'],
    ['opus', 'audio/ogg', 'OggS'],
    ['flac', 'audio/flac', 'fLaC'],
    ['aac', 'audio/aac', 0xff_f1, 0xff_f9, 'ID3'],
  ]
  // rules: speech.audio-answer, speech.response-format
  test.each(rows)('%s is audio of type %s', async (format, contentType, ...signatures) => {
    const speech = await service.audio.speech.create({ ...body, response_format: format })
    expect(speech.contentType).toBe(contentType)
    const bytes = await speech.bytes()
    expect(bytes.byteLength).toBeGreaterThan(1000)
    expect(starts(bytes, ...signatures)).toBe(true)
  })

  test('pcm is raw samples', async () => {
    const speech = await service.audio.speech.create({ ...body, response_format: 'pcm' })
    expect(speech.contentType).toBe('audio/pcm')
    expect(peak(await speech.bytes())).toBeGreaterThan(0.05)
  })

  // rules: speech.delivery-method
  test('mp3 is the default', async () => {
    const speech = await service.audio.speech.create(body)
    expect(speech.contentType).toBe('audio/mpeg')
    await speech.bytes()
  })

  test('a wav states its true sizes', async () => {
    const speech = await service.audio.speech.create({ ...body, response_format: 'wav' })
    const file = await speech.bytes()
    expect(riffSize(file)).toBe(file.byteLength)
    expect(riffChunks(file).get('data')?.byteLength).toBe(file.byteLength - 44)
  })
})

// rules: speech.url-answer, speech.delivery-method, speech-result.fields, speech-result.actual-format
// rules: speech-result.object
test('delivery_method=url returns an unforgeable link without a key', async () => {
  const result = await service.audio.speech.createUrl({ ...body, response_format: 'wav' })
  expect(result).toMatchObject({
    id: expect.any(String),
    object: 'audio.speech',
    status: 'SUCCESS',
    response_format: 'wav',
    content_type: 'audio/wav',
    created_at: expect.any(Number),
  })
  const response = await fetch(result.url)
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect(peak((await response.bytes()).subarray(44))).toBeGreaterThan(0.05)
  const forged = new URL(result.url)
  forged.searchParams.set('expires', String(Number(forged.searchParams.get('expires')) + 1))
  expect((await fetch(forged)).status).toBe(404)
  expect((await fetch(result.url.split('?', 1).join(''))).status).toBe(404)
})

describe('refused speech requests', () => {
  const rows: Refusal[] = [
    // rules: speech.input
    ['no input', { input: undefined }, 400, 'missing_required_field', 'input'],
    // rules: speech.voice-id
    ['no voice_id', { voice_id: undefined }, 400, 'missing_required_field', 'voice_id'],
    // rules: speech.model, models.own-endpoint
    ...AUDIO_REFUSALS,
    ...TASK_REFUSALS,
    ['an unknown voice', { voice_id: 'nobody' }, 404, 'voice_not_found', 'voice_id'],
    // rules: speech.voice-id-only
    ['a voice_url', { voice_url: 'https://example.com/v.wav' }, 400, 'unsupported_field', 'voice_url'],
    ['base64 voice data', { voice_data: 'AAAA' }, 400, 'unsupported_field', 'voice_data'],
    ['speed without stream', { speed: 2 }, 400, 'unsupported_without_stream', 'speed'],
    ['language without stream', { language: 'en' }, 400, 'unsupported_without_stream', 'language'],
    [
      'a duration without stream',
      { expected_duration_sec: 2 },
      400,
      'unsupported_without_stream',
      'expected_duration_sec',
    ],
    [
      // rules: speech.pause-flash-only
      'a pause with the pro model',
      { model: 'svc-tts-1.0-pro', input: 'a [pause 1.0s] b' },
      400,
      'unsupported_for_model',
      'input',
    ],
    ['SSML', { input: '<speak>Hello.</speak>' }, 400, 'unsupported_markup', 'input'],
    // rules: speech.pause-range
    ['a pause that is no number', { input: 'a [pause NaNs] b' }, 400, 'invalid_range', 'input'],
    // rules: speech.pause-range
    ['a pause that is too long', { input: 'a [pause 11s] b' }, 400, 'invalid_range', 'input'],
    ['text without a word in it', { input: '🎉🎉' }, 400, 'unspeakable_text', 'input'],
  ]
  test.each(rows)('%s', async (_rule, change, status, code, param) => {
    const response = await service.request('POST', '/v1/audio/speech', { ...body, ...change })
    expect(await errorOf(response)).toEqual({ status, code, param })
  })

  test('a body that is not JSON, or is of another type', async () => {
    const headers = { 'content-type': 'application/json' }
    const broken = new Request(`${service.url}/v1/audio/speech`, { method: 'POST', body: '{', headers })
    broken.headers.set('authorization', 'Bearer test-key-of-the-first-tenant')
    expect(await errorOf(await fetch(broken))).toEqual({ status: 400, code: 'invalid_json', param: null })
    const text = await service.request('POST', '/v1/audio/speech', body, { 'content-type': 'text/csv' })
    expect(await errorOf(text)).toEqual({ status: 415, code: 'unsupported_media_type', param: null })
    const list = await service.request('POST', '/v1/audio/speech', [body])
    expect(await errorOf(list)).toEqual({ status: 400, code: 'invalid_type', param: null })
  })

  test('the client gets the code, the field and the request id', async () => {
    const failed = service.audio.speech.create({ ...body, voice_id: 'nobody' })
    await expect(failed).rejects.toBeInstanceOf(ApiError)
    await expect(failed).rejects.toMatchObject({
      status: 404,
      code: 'voice_not_found',
      param: 'voice_id',
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      retryable: false,
    })
  })
})

// rules: models.snapshots, speech.model, versioning.dated
test('a snapshot of the flash model speaks and supports pauses; the pro model speaks', async () => {
  for (const [model, input] of [
    ['svc-tts-1.5-flash-2026-11-21', 'One. [pause 0.5s] Two.'],
    ['svc-tts-1.0-pro', 'One. Two.'],
  ] as const) {
    const speech = await service.audio.speech.create({ ...body, model, input, response_format: 'pcm' })
    expect(peak(await speech.bytes())).toBeGreaterThan(0.05)
  }
})
