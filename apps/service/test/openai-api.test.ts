import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import OpenAI, { APIError } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPENAI_MODELS } from '../src/domain/models.ts'
import { VOICES } from '../src/endpoints/openai/names.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
let client: OpenAI
beforeAll(async () => {
  service = await startTestService({ openaiApi: true })
  client = new OpenAI({ apiKey: KEY, baseURL: `${service.url}/openai/v1`, maxRetries: 0 })
})
afterAll(() => service.close())

const HELLO = { model: 'tts-1', voice: 'alloy', input: 'Good morning.' } as const

/** The audio of a request with more fields. */
async function speak(fields: object = {}, headers: Record<string, string> = {}): Promise<Buffer> {
  const response = await client.audio.speech.create({ ...HELLO, ...fields }, { headers })
  return Buffer.from(await response.arrayBuffer())
}

/** The error of a request that fails. */
async function failure(call: Promise<unknown>): Promise<APIError> {
  const error: unknown = await call.catch((reason: unknown) => reason)
  if (!(error instanceof APIError)) throw new Error('The request did not fail', { cause: error })
  return error
}

const BEGINNINGS = {
  mp3: /^\xff[\xe2-\xfb]/,
  opus: /^OggS/,
  aac: /^\xff[\xf0-\xff]/,
  flac: /^fLaC/,
  wav: /^RIFF/,
} as const

describe('speech of the official client', () => {
  test.each(Object.entries(BEGINNINGS))('%s is a file of that format', async (response_format, beginning) => {
    expect((await speak({ response_format })).toString('latin1')).toMatch(beginning)
  })

  test('the default format is mp3', async () => {
    expect(await speak()).toEqual(await speak({ response_format: 'mp3' }))
  })

  test('pcm has 24,000 Hz, and the header says so', async () => {
    const response = await client.audio.speech.create({ ...HELLO, response_format: 'pcm' })
    expect(response.headers.get('x-sample-rate')).toBe('24000')
    const samples = (await response.arrayBuffer()).byteLength / 2
    const own = await service.audio.speech.create({
      model: 'svc-tts-1.5-flash',
      input: HELLO.input,
      voice_id: 'slt',
      response_format: 'pcm',
    })
    const seconds = (await own.bytes()).byteLength / 2 / 16_000
    expect(samples / 24_000).toBeCloseTo(seconds, 1)
  })

  test('speed changes the length', async () => {
    const [slow, fast] = await Promise.all([0.5, 2].map((speed) => speak({ speed, response_format: 'wav' })))
    expect((slow?.length ?? 0) / (fast?.length ?? 1)).toBeGreaterThan(2.5)
  })

  test('events together are the same file, and end with their last event', async () => {
    const response = await client.audio.speech.create({ ...HELLO, stream_format: 'sse' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = (await response.text())
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame): { type: string; audio?: string } => JSON.parse(frame.replace(/^data: /, '')))
    expect(events.pop()).toEqual({ type: 'speech.audio.done' })
    expect(Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')))).toEqual(await speak())
  })

  test('every name of a voice speaks, and the same name always alike', async () => {
    for (const voice of VOICES.keys()) expect((await speak({ voice })).length).toBeGreaterThan(1000)
    expect(await speak({ voice: 'nova' })).toEqual(await speak({ voice: { id: 'slt' } }))
  })

  test('a voice of the account speaks', async () => {
    const sample = new File(
      [new Uint8Array(await speak({ response_format: 'wav', input: 'A sample of my voice.' }))],
      'a',
    )
    const { id } = await service.audio.voices.create({ audio_sample: sample, name: 'Mine' })
    expect((await speak({ voice: id })).length).toBeGreaterThan(1000)
    const listed: unknown = await (await service.request('GET', '/openai/v1/audio/voices')).json()
    expect(listed).toMatchObject({ voices: expect.arrayContaining([{ id, name: 'Mine' }]), has_more: false })
  })

  test('instructions change a voice that can change', async () => {
    const response = await client.audio.speech.create({ ...HELLO, instructions: 'Speak very slowly.' })
    expect(response.headers.get('x-ignored-parameters')).toBeNull()
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan((await speak()).length * 1.1)
  })

  test.each([
    ['a voice that cannot change', { voice: 'echo', instructions: 'Speak slowly.' }],
    ['a text that describes nothing of a voice', { voice: 'alloy', instructions: 'Qwertz.' }],
  ])('instructions for %s are named in a header, and the speech stays', async (_what, fields) => {
    const response = await client.audio.speech.create({ ...HELLO, ...fields })
    expect(response.headers.get('x-ignored-parameters')).toBe('instructions')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(await speak({ voice: fields.voice }))
  })
})

describe('models', () => {
  test('the list has exactly the names that this API accepts', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(ids).toEqual(expect.arrayContaining([...OPENAI_MODELS.keys(), 'svc-tts-1.0-pro', 'svc-transcribe-1.0']))
    expect(ids.filter((id) => /ttsd|voice-generator/.test(id))).toEqual([])
  })

  test("each name of OpenAI's is a model, and names the one that stands for it", async () => {
    for (const [id, root] of OPENAI_MODELS) expect(await client.models.retrieve(id)).toMatchObject({ id, root })
    expect(await client.models.retrieve('svc-tts-1.0-pro')).toMatchObject({ id: 'svc-tts-1.0-pro' })
  })
})

describe('errors have the shape of OpenAI, and our codes', () => {
  const rows: [what: string, call: () => Promise<unknown>, expected: object][] = [
    [
      'a wrong key',
      () => client.withOptions({ apiKey: 'wrong' }).audio.speech.create(HELLO),
      { status: 401, code: 'invalid_api_key', type: 'authentication_error', param: null },
    ],
    [
      'an unknown voice',
      () => speak({ voice: 'nobody' }),
      { status: 404, code: 'voice_not_found', type: 'invalid_request_error', param: 'voice' },
    ],
    ['no voice', () => speak({ voice: undefined }), { status: 400, code: 'missing_required_field', param: 'voice' }],
    ['a wrong type of voice', () => speak({ voice: 7 }), { status: 400, code: 'invalid_type', param: 'voice' }],
    ['an unknown model', () => speak({ model: 'gpt-9' }), { status: 404, code: 'model_not_found', param: 'model' }],
    ['empty input', () => speak({ input: '' }), { status: 400, code: 'missing_required_field', param: 'input' }],
    ['a wrong speed', () => speak({ speed: 9 }), { status: 400, code: 'invalid_range', param: 'speed' }],
    [
      'an unknown format',
      () => speak({ response_format: 'ogg' }),
      { status: 400, code: 'unsupported_response_format', param: 'response_format' },
    ],
    [
      'an unknown stream_format',
      () => speak({ stream_format: 'ws' }),
      { status: 400, code: 'invalid_value', param: 'stream_format' },
    ],
    ['a translation', () => translate(), { status: 400, code: 'unsupported_translation', param: null }],
    [
      'a model that does not exist',
      () => client.models.retrieve('nothing'),
      { status: 404, code: 'model_not_found', param: 'model' },
    ],
  ]
  const translate = (): Promise<unknown> =>
    client.audio.translations.create({ model: 'whisper-1', file: new File(['RIFF'], 'a.wav') })

  test.each(rows)('%s', async (_what, call, expected) => {
    const error = await failure(call())
    expect(error).toMatchObject(expected)
    expect(error.requestID).toMatch(/^[\w-]{8,}$/)
    expect(error.headers?.get('x-should-retry')).toBe('false')
  })

  test('a translation in JSON is refused with 400 too', async () => {
    const response = await service.request('POST', '/openai/v1/audio/translations', { model: 'whisper-1' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_translation' } })
  })

  test('messages have the names of OpenAI', async () => {
    const error = await failure(speak({ voice: undefined }))
    expect(error.message).toContain('voice is required: see GET /openai/v1/audio/voices')
  })

  test('a JSON body of a transcription is 415', async () => {
    const body = { model: 'whisper-1', file: 'AAAA' }
    const response = await service.request('POST', '/openai/v1/audio/transcriptions', body)
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_media_type', param: 'file' } })
  })
})

test('a repeated idempotency key gives the same audio, and a conflict for another request', async () => {
  const headers = { 'Idempotency-Key': 'one-speech' }
  expect(await speak({}, headers)).toEqual(await speak({}, headers))
  const error = await failure(speak({ input: 'Another.' }, headers))
  expect(error).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  expect(error.headers?.get('x-should-retry')).toBe('false')
})

test('a request over the limit of the account is 429, and may be sent again', async () => {
  const small = await startTestService({ openaiApi: true, requestsPerMinute: 1 })
  const limited = new OpenAI({ apiKey: KEY, baseURL: `${small.url}/openai/v1`, maxRetries: 0 })
  await limited.models.list()
  const error = await failure(limited.models.list())
  expect(error).toMatchObject({ status: 429, code: 'rate_limited', type: 'rate_limit_error' })
  expect(error.headers?.get('x-should-retry')).toBe('true')
  expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0)
  await small.close()
})

test('speech is counted as usage and audited like our own', async () => {
  const request = 'request-of-the-openai-api'
  await speak({}, { 'x-request-id': request })
  const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true })
  const audited = (): unknown =>
    database
      .prepare("SELECT action, tenant, details ->> 'outcome' AS outcome FROM audit WHERE details ->> 'request' = ?")
      .get(request)
  await expect
    .poll(audited, { timeout: 30_000 })
    .toEqual({ action: 'createOpenaiSpeech', outcome: 'done', tenant: 'first' })
  const used = (): unknown =>
    database.prepare("SELECT sum(characters) AS characters FROM usage WHERE kind = 'speech'").get()?.['characters']
  await expect.poll(used, { timeout: 30_000 }).toBeGreaterThanOrEqual(HELLO.input.length)
  database.close()
})

test('without the setting no path of it exists, also not in the document', async () => {
  const closed = await startTestService()
  for (const path of ['/openai/v1/audio/speech', '/openai/v1/audio/transcriptions', '/openai/v1/models']) {
    const response = await closed.request('POST', path, HELLO)
    expect(response.status).toBe(404)
    await response.body?.cancel()
  }
  const document = await (await fetch(`${closed.url}/openapi.json`)).text()
  expect(document).not.toContain('openai')
  await closed.close()
})
