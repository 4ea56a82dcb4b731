import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buzz } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { DatabaseUnavailableError } from '../src/domain/errors.ts'
import { ENDPOINTS } from '../src/endpoints/index.ts'
import { NO_SWITCHES } from '../src/use-cases/keys.ts'
import { RESPONSES } from './support/described-responses.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'

// Each response that the OpenAPI document describes is received here once, whatever other tests do. A new endpoint has
// no test until it has rows here: the last test names what is missing. `record-responses.ts` compares the bodies.
const TOKEN = 'metrics-token'
const METRICS = { authorization: `Bearer ${TOKEN}` }

let app: FakeApp
/** Whose results are at another address. */
let direct: FakeApp
/** Path and query of a result's link. */
let link: string
beforeAll(async () => {
  app = await startFakeApp({ app: { metricsToken: TOKEN } })
  direct = await startFakeApp({
    replace: ({ objects: { results } }) => ({
      objects: {
        results: { ...results, direct: { directUrl: async () => 'https://store.example.com/a' } },
      },
    }),
  })
  link = await linkOf(app)
})
afterAll(async () => {
  await app.close()
  await direct.close()
})

type Headers = Readonly<Record<string, string>>

/** A request, and the status of its response. */
type Row = readonly [
  status: number,
  method: string,
  path: string,
  body?: (() => object | string) | undefined,
  headers?: Headers,
]

const speech = { model: 'svc-tts-1.5-flash', input: 'Hello.', voice_id: 'v' }
const dialogue = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'a', voice_id: 'v' }],
  segments: [{ speaker: 'a', text: 'Hello.' }],
}
const generation = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'An old man' }
const openaiSpeech = { model: 'tts-1', input: 'Hello.', voice: 'v' }
const stored = { model: 'svc-transcribe-1.0', file_id: 'file_0' }

const url = { delivery_method: 'url' }
const key = (name: string): Headers => ({ 'idempotency-key': name })
/** More than any JSON body may have. */
const large = (): object => ({ rest: 'x'.repeat(200_000) })
const xml = { 'content-type': 'application/xml' }

function form(file: string, fields: object = {}, content: string | Uint8Array = 'sound'): () => FormData {
  return () => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, String(value))
    data.append(file, new Blob([Buffer.from(content)]), 'a.wav')
    return data
  }
}
const tooLarge = 'x'.repeat(1_000_001)

/** The responses of an endpoint that makes audio. */
function audio(path: string, body: object): Row[] {
  return [
    [200, 'POST', path, () => body],
    [200, 'POST', path, () => ({ ...body, ...url })],
    [200, 'POST', path, () => ({ ...body, async: true })],
    [400, 'POST', path, () => ({ ...body, response_format: 'midi' })],
    [404, 'POST', path, () => ({ ...body, model: 'svc-none' })],
    [200, 'POST', path, () => ({ ...body, ...url }), key(path)],
    [409, 'POST', path, () => ({ ...body, async: true }), key(path)],
    [413, 'POST', path, large],
    [415, 'POST', path, () => body, xml],
  ]
}

/** The responses to a DELETE of something that does not exist, with bodies that nobody reads. */
function deletion(path: string): Row[] {
  return [
    [404, 'DELETE', path],
    [400, 'DELETE', path, () => '{'],
    [413, 'DELETE', path, large],
    [415, 'DELETE', path, () => ({}), xml],
  ]
}

describe('each described response is given', () => {
  const transcriptions = '/v1/audio/transcriptions'
  const plain = { model: 'svc-transcribe-1.0' }
  const speakers = { model: 'svc-transcribe-diarize-pro' }
  const openai = '/openai/v1/audio/transcriptions'
  const rows: Row[] = [
    [302, 'GET', '/'],
    [200, 'GET', '/openapi.json'],
    [200, 'GET', '/docs'],
    [200, 'GET', '/healthz'],
    [200, 'GET', '/readyz'],
    [200, 'GET', '/metrics', undefined, METRICS],
    [401, 'GET', '/metrics'],
    [200, 'GET', '/v1/models'],
    ...audio('/v1/audio/speech', speech),
    [
      200,
      'POST',
      '/v1/audio/speech',
      () => ({ ...speech, response_format: 'pcm', stream: true, stream_format: 'sse' }),
    ],
    ...audio('/v1/audio/speech/speakers', dialogue),
    ...audio('/v1/audio/voice/generations', generation),
    [404, 'GET', '/v1/audio/tasks/none'],
    ...deletion('/v1/audio/tasks/none'),
    [200, 'GET', '/v1/audio/voices'],
    [400, 'GET', '/v1/audio/voices?limit=0'],
    [200, 'POST', '/v1/audio/voices', form('audio_sample', { name: 'I' }, buzz(140, 2, 4)), key('voice')],
    [409, 'POST', '/v1/audio/voices', form('audio_sample', { name: 'You' }, buzz(140, 2, 4)), key('voice')],
    [400, 'POST', '/v1/audio/voices', form('audio_sample')],
    [415, 'POST', '/v1/audio/voices', () => ({})],
    [200, 'POST', transcriptions, form('file', plain)],
    [200, 'POST', transcriptions, form('file', { ...plain, response_format: 'text' })],
    [200, 'POST', transcriptions, form('file', speakers)],
    [200, 'POST', transcriptions, form('file', { ...speakers, stream: true })],
    [200, 'POST', transcriptions, form('file', { ...plain, async: true }), key('transcription')],
    [409, 'POST', transcriptions, form('file', { ...plain, async: true }, 'other'), key('transcription')],
    [400, 'POST', transcriptions, form('file')],
    [404, 'POST', transcriptions, () => stored],
    [413, 'POST', transcriptions, form('file', plain, tooLarge)],
    [415, 'POST', transcriptions, () => stored, xml],
    [200, 'POST', '/v1/files', form('file'), key('file')],
    [409, 'POST', '/v1/files', form('file', {}, 'other'), key('file')],
    [400, 'POST', '/v1/files', form('other')],
    [413, 'POST', '/v1/files', form('file', {}, tooLarge)],
    [415, 'POST', '/v1/files', () => ({})],
    [200, 'GET', '/v1/files'],
    [400, 'GET', '/v1/files?limit=0'],
    [404, 'GET', '/v1/files/none'],
    ...deletion('/v1/files/none'),
    [200, 'POST', '/openai/v1/audio/speech', () => openaiSpeech, key('openai')],
    [409, 'POST', '/openai/v1/audio/speech', () => ({ ...openaiSpeech, speed: 2 }), key('openai')],
    [200, 'POST', '/openai/v1/audio/speech', () => ({ ...openaiSpeech, stream_format: 'sse' })],
    [400, 'POST', '/openai/v1/audio/speech', () => ({ ...openaiSpeech, response_format: 'midi' })],
    [404, 'POST', '/openai/v1/audio/speech', () => ({ ...openaiSpeech, voice: 'none' })],
    [413, 'POST', '/openai/v1/audio/speech', large],
    [415, 'POST', '/openai/v1/audio/speech', () => openaiSpeech, xml],
    [200, 'POST', openai, form('file', { model: 'whisper-1' }), key('recording')],
    [409, 'POST', openai, form('file', { model: 'whisper-1' }, 'other'), key('recording')],
    [200, 'POST', openai, form('file', { model: 'whisper-1', response_format: 'verbose_json' })],
    [200, 'POST', openai, form('file', { model: 'whisper-1', response_format: 'diarized_json' })],
    [200, 'POST', openai, form('file', { model: 'whisper-1', response_format: 'text' })],
    [200, 'POST', openai, form('file', { model: 'whisper-1', response_format: 'vtt' })],
    [200, 'POST', openai, form('file', { model: 'whisper-1', stream: true })],
    [400, 'POST', openai, form('file')],
    [404, 'POST', openai, form('file', { model: 'none' })],
    [413, 'POST', openai, form('file', { model: 'whisper-1' }, tooLarge)],
    [415, 'POST', openai, () => ({})],
    [400, 'POST', '/openai/v1/audio/translations', form('file')],
    [200, 'GET', '/openai/v1/models'],
    [200, 'GET', '/openai/v1/models/whisper-1'],
    [404, 'GET', '/openai/v1/models/none'],
    [200, 'GET', '/openai/v1/audio/voices'],
    [400, 'GET', '/openai/v1/audio/voices?limit=0'],
    [200, 'GET', '/openai/v1/audio/models'],
    [200, 'GET', '/openai/v1/audio/speech/voices'],
    [400, 'GET', '/openai/v1/audio/speech/voices?model_id=whisper-1'],
    [404, 'GET', '/openai/v1/audio/speech/voices?model_id=none'],
    [400, 'GET', '/openai/v1/realtime'],
  ]
  test.for(rows)('%i: %s %s', async ([status, method, path, body, headers = {}]) => {
    const response = await app.request(method, path, body?.(), headers)
    await response.bytes()
    expect(response.status).toBe(status)
  })

  const results: [status: number, method: string, headers?: Headers][] = [
    [204, 'OPTIONS'],
    ...['GET', 'HEAD'].flatMap((method): [number, string, Headers?][] => [
      [200, method],
      [206, method, { range: 'bytes=0-1' }],
      [416, method, { range: 'bytes=99-' }],
    ]),
  ]
  test.for(results)('%i: %s of a result', async ([status, method, headers = {}]) => {
    const response = await app.request(method, link, undefined, headers)
    await response.bytes()
    expect(response.status).toBe(status)
  })

  test.each(['GET', 'HEAD'])('304 and 404: %s of a result', async (method) => {
    const etag = (await app.request('HEAD', link)).headers.get('etag') ?? ''
    expect((await app.request(method, link, undefined, { 'if-none-match': etag })).status).toBe(304)
    expect((await app.request(method, link.split('?', 1).join(''))).status).toBe(404)
  })

  test('302: GET of a result in another store', async () => {
    expect((await direct.request('GET', await linkOf(direct))).status).toBe(302)
  })

  test('200: a task and a file, until they are deleted', async () => {
    const created = await app.request('POST', '/v1/audio/speech', { ...speech, async: true })
    const uploaded = await app.request('POST', '/v1/files', form('file')())
    for (const [path, response] of [
      ['/v1/audio/tasks', created],
      ['/v1/files', uploaded],
    ] as const) {
      const { id } = (await response.json()) as { readonly id: string }
      for (const method of ['GET', 'DELETE']) {
        expect((await app.request(method, `${path}/${id}`)).status).toBe(200)
      }
    }
  })
})

async function linkOf(from: FakeApp): Promise<string> {
  const made = (await (await from.post('/v1/audio/speech', { ...speech, ...url })).json()) as { url: string }
  const { pathname, search } = new URL(made.url)
  return pathname + search
}

/** The routes with this access, with a word for each parameter. */
function routes(...access: readonly string[]): [method: string, path: string][] {
  return ENDPOINTS.filter((endpoint) => access.includes(endpoint.access)).map(({ method, path }) => [
    method,
    path.replaceAll(/:\w+/g, 'word'),
  ])
}

describe('each operation with a key', () => {
  let suspended: FakeApp
  let limited: FakeApp
  beforeAll(async () => {
    suspended = await startFakeApp({ app: { switches: { ...NO_SWITCHES, isSuspended: () => true } } })
    limited = await startFakeApp({ app: { requestsAtOncePerTenant: 0 } })
  })
  afterAll(async () => {
    await suspended.close()
    await limited.close()
  })

  const refusals: [says: string, to: () => FakeApp, error: string, headers?: Headers][] = [
    ['without one is 401', () => app, '401 missing_api_key', { authorization: '' }],
    ['of a suspended tenant is 403', () => suspended, '403 tenant_suspended'],
    ['over the limit of requests in flight is 429', () => limited, '429 too_many_requests'],
  ]
  test.for(refusals)('%s', async ([, to, refused, headers = {}]) => {
    for (const [method, path] of routes('key')) {
      const response = await to().request(method, path, undefined, headers)
      const { error } = (await response.json()) as { readonly error: { readonly code: string } }
      expect([path, `${response.status} ${error.code}`]).toEqual([path, refused])
    }
  })
})

test('each operation that is not open to all, and /readyz, is 503 while the service stops', async () => {
  const stopping = await startFakeApp()
  await stopping.stop()
  for (const [method, path] of [...routes('key', 'link'), ['GET', '/readyz'] as const]) {
    expect([path, (await stopping.request(method, path)).status]).toEqual([path, 503])
  }
  await stopping.close()
})

test('/metrics is 503 while the database does not answer', async () => {
  const broken = await startFakeApp({
    replace: ({ stores: { metrics } }) => ({
      stores: { metrics: { ...metrics, read: () => Promise.reject(new DatabaseUnavailableError()) } },
    }),
  })
  expect((await broken.get('/metrics')).status).toBe(503)
  await broken.close()
})

test('nothing that the OpenAPI document describes is left', () => {
  expect(RESPONSES.missing).toEqual([])
})
