import { describe, expect, test } from 'vitest'
import type { AudioClient } from '../src/index.ts'
import { connect, rejection } from './support/clients.ts'
import { respondJson, readBody, startServer } from './support/servers.ts'
import { SPEECH, STREAM } from './support/speech.ts'

describe('interface: bodies and paths are exact', () => {
  // rules: speech.endpoint, endpoints.json, endpoints.exact-names, speech.delivery-method, speech.aigc-default
  // rules: speech.response-format, versioning.policy-open
  test('speech.create sends its body unchanged, without defaults', async () => {
    const bodies: string[] = []
    const server = await startServer(async (request, response) => {
      bodies.push(String(await readBody(request)))
      response.writeHead(200, { 'content-type': 'audio/wav' }).end('RIFF')
    })
    const { speech } = connect(server.url)
    const full = {
      ...SPEECH,
      input: '  Ünïcode “quotes” [pause 1.5s]\n😀 ',
      response_format: 'wav',
      aigc_metadata: { enabled: true, content_propagator: 'p', propagate_id: 'i' },
      a_field_of_tomorrow: { deep: [1] },
    }
    await (await speech.create(SPEECH)).bytes()
    await (await speech.create(full)).bytes()
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([SPEECH, full])
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/audio/speech',
      'POST /v1/audio/speech',
    ])
    expect(server.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', accept: '*/*' })
  })

  // rules: speech.url-answer, speech.delivery-method, speech-result.fields, general.timestamps
  test('speech.createUrl adds delivery_method and returns every field', async () => {
    const bodies: unknown[] = []
    const result = {
      id: 't-1',
      object: 'audio.speech',
      status: 'SUCCESS',
      url: 'https://example.com/a.mp3',
      response_format: 'mp3',
      content_type: 'audio/mpeg',
      created_at: 1_700_000_000,
      a_field_of_tomorrow: true,
    }
    const server = await startServer(async (request, response) => {
      bodies.push(JSON.parse(String(await readBody(request))))
      response.end(JSON.stringify(result))
    })
    expect(await connect(server.url).speech.createUrl(SPEECH)).toEqual(result)
    expect(bodies).toEqual([{ ...SPEECH, delivery_method: 'url' }])
    expect(server.requests[0]?.headers.accept).toBe('application/json')
  })

  // rules: voice-listing.endpoint, voice-listing.limit, voice-listing.offset, voice-listing.after, voice-listing.status
  // rules: voice-list.page-ids
  test('voices.list sends its defined fields as the query', async () => {
    const page = { object: 'list', data: [], has_more: false }
    const server = await startServer((request, response) => respondJson(request, response, page))
    const { voices } = connect(server.url)
    expect(await voices.list()).toEqual(page)
    await voices.list({ limit: 150, offset: 0, after: 'a b&c', status: 'active' })
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/audio/voices',
      'GET /v1/audio/voices?limit=150&offset=0&after=a+b%26c&status=active',
    ])
  })

  // rules: model-listing.endpoint, model.fields
  test('models.list has neither body nor query', async () => {
    const list = { object: 'list', data: [{ id: 'svc-tts-1.5-flash', object: 'model', created: 1, owned_by: 'svc' }] }
    const server = await startServer((request, response) => respondJson(request, response, list))
    expect(await connect(server.url).models.list()).toEqual(list)
    const [request] = server.requests
    expect(`${request?.method} ${request?.url}`).toBe('GET /v1/models')
    expect(request?.headers['content-type']).toBeUndefined()
    expect(request?.headers['content-length']).toBeUndefined()
  })

  // rules: general.base-url, versioning.v1
  test('a base address with a path keeps it', async () => {
    const server = await startServer((request, response) => respondJson(request, response, {}))
    await connect(`${server.url}/tenant/audio/v1/`).models.list()
    expect(server.requests[0]?.url).toBe('/tenant/audio/v1/models')
  })
})

/** A body as JavaScript callers may write it. */
const untyped = (body: object): never => body as never

describe('nothing is sent when a check fails', () => {
  // As JavaScript callers would write them: the types refuse most of these.
  const calls: readonly (readonly [string, (client: AudioClient) => Promise<unknown>])[] = [
    ['speech.create without a voice', ({ speech }) => speech.create({ ...SPEECH, voice_id: '' })],
    ['speech.create with stream', ({ speech }) => speech.create(untyped({ ...SPEECH, stream: true }))],
    [
      'speech.createUrl with a pause out of range',
      ({ speech }) => speech.createUrl({ ...SPEECH, input: '[pause 11s]' }),
    ],
    ['speech.stream without text', ({ speech }) => speech.stream({ ...STREAM, input: ' ' })],
    [
      'speech.stream with another model',
      ({ speech }) => speech.stream(untyped({ ...STREAM, model: 'svc-tts-1.0-pro' })),
    ],
    ['speech.stream with async', ({ speech }) => speech.stream(untyped({ ...STREAM, async: true }))],
    [
      'transcriptions.create without a source',
      ({ transcriptions }) => transcriptions.create(untyped({ model: 'svc-transcribe-1.0' })),
    ],
    [
      'transcriptions.create with two sources',
      ({ transcriptions }) =>
        transcriptions.create(untyped({ model: 'svc-transcribe-1.0', file_id: 'f', file: Uint8Array.of(1) })),
    ],
    [
      'transcriptions.create with keyterms for the standard model',
      ({ transcriptions }) =>
        transcriptions.create(untyped({ model: 'svc-transcribe-1.0', file_id: 'f', keyterms: ['a'] })),
    ],
    [
      'transcriptions.create with an address of this machine',
      ({ transcriptions }) => transcriptions.create({ model: 'svc-transcribe-1.0', url: 'http://127.0.0.1/a' }),
    ],
    ['voices.list with too many', ({ voices }) => voices.list({ limit: 151 })],
  ]

  test.each(calls)('%s', async (_, call) => {
    const server = await startServer((request, response) => respondJson(request, response, {}))
    expect(await rejection(call(connect(server.url)))).toMatchObject({ name: 'InvalidRequestError' })
    expect(server.sockets).toHaveLength(0)
  })

  // rules: model.id-use
  test('but unknown values are sent', async () => {
    const server = await startServer((request, response) => respondJson(request, response, { text: '' }))
    const client = connect(server.url)
    await client.speech.createUrl({ ...SPEECH, model: 'vendor-tts-9', input: 'a [pause 99s]' })
    await client.transcriptions.create({ model: 'vendor-stt-2', file_id: 'f', keyterms: ['a'] })
    await rejection(client.speech.stream({ ...STREAM, model: 'vendor-tts-9' }))
    expect(server.requests).toHaveLength(3)
  })
})

test('headers that are too large name maxHeaderSize, which allows more', async () => {
  const server = await startServer(async (request, response) => {
    await readBody(request)
    response.writeHead(200, { 'content-type': 'application/json', 'x-large': 'x'.repeat(17_000) })
    response.end('{"object":"list","data":[]}')
  })
  const error = await rejection(connect(server.url).models.list())
  expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: true })
  expect((error as Error).message).toContain('raise maxHeaderSize of nodeTransport()')
  expect(await connect(server.url, { maxHeaderSize: 32_000 }).models.list()).toMatchObject({ data: [] })
  expect(() => connect(server.url, { maxHeaderSize: 0 })).toThrow('`maxHeaderSize` must be')
})
