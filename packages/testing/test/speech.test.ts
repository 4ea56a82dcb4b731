import { encodeWav } from '@svc-audio/core/audio'
import { fileTypeFromBuffer } from 'file-type'
import { expect, test } from 'vitest'
import { PCM_FORMAT, tone } from '../src/index.ts'
import { call, callJson, connect, readEvents, SPEECH, start } from './support/start.ts'

const STREAM = { model: 'svc-tts-1.5-flash', input: 'Good morning' }

test('speech in wav is a tone with true sizes', async () => {
  const upstream = await start({ speechSeconds: 0.25 })
  const body = await connect(upstream).speech.create({ ...SPEECH, response_format: 'wav' })
  expect(body.contentType).toBe('audio/wav')
  expect(Buffer.from(await body.bytes())).toEqual(Buffer.from(encodeWav(PCM_FORMAT, [tone(0.25)])))
  expect(upstream.requests).toMatchObject([{ json: { ...SPEECH, response_format: 'wav' }, authorized: true }])
})

test.each([
  ['mp3', 'audio/mpeg', 'audio/mpeg'],
  ['aac', 'audio/aac', 'audio/aac'],
  ['flac', 'audio/flac', 'audio/flac'],
  ['opus', 'audio/ogg', 'audio/ogg; codecs=opus'],
  ['wav', 'audio/wav', 'audio/wav'],
])('%s is a file of its type', async (format, contentType, detected) => {
  const body = await connect(await start()).speech.create({ ...SPEECH, response_format: format })
  expect(body.contentType).toBe(contentType)
  expect((await fileTypeFromBuffer(await body.bytes()))?.mime).toBe(detected)
})

test('speech without a format is mp3, and an unknown format is refused', async () => {
  const upstream = await start()
  expect((await call(upstream, 'POST /v1/audio/speech', SPEECH)).headers.get('content-type')).toBe('audio/mpeg')
  expect(await callJson(upstream, 'POST /v1/audio/speech', { ...SPEECH, response_format: 'midi' })).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_response_format', param: 'response_format' } },
  })
})

test('a result by URL can be downloaded without a key', async () => {
  const upstream = await start({ now: () => 1_700_000_000_900 })
  const result = await connect(upstream).speech.createUrl({ ...SPEECH, response_format: 'wav' })
  expect(result).toEqual({
    id: expect.any(String),
    object: 'audio.speech',
    status: 'SUCCESS',
    url: expect.stringContaining(`${upstream.url}/v1/audio/results/`),
    response_format: 'wav',
    content_type: 'audio/wav',
    created_at: 1_700_000_000,
  })
  const download = await fetch(result.url)
  expect(download.headers.get('content-type')).toBe('audio/wav')
  expect((await download.bytes()).byteLength).toBe(44 + tone(0.5).byteLength)
  expect(upstream.requests.at(-1)).toMatchObject({ route: 'GET /v1/audio/results/{result_id}', authorized: false })
})

test('a result URL expires when the test expires it', async () => {
  const upstream = await start()
  const { url } = await connect(upstream).speech.createUrl(SPEECH)
  upstream.expireResults()
  expect((await fetch(url)).status).toBe(403)
  expect((await fetch(url.replace(/token=\d+/, 'token=2'))).status).toBe(200)
  expect((await fetch(`${upstream.url}/v1/audio/results/none?token=2`)).status).toBe(404)
})

test.each([
  ['bytes=0-9', 206, 'bytes 0-9/24044', 10],
  ['bytes=24000-', 206, 'bytes 24000-24043/24044', 44],
  ['bytes=-44', 206, 'bytes 24000-24043/24044', 44],
  ['bytes=24000-99999', 206, 'bytes 24000-24043/24044', 44],
  ['bytes=24044-', 416, 'bytes */24044', undefined],
  ['bytes=5-1', 200, null, 24_044],
  ['bytes=0-1,4-5', 200, null, 24_044],
  ['seconds=0-1', 200, null, 24_044],
])('a result URL answers `Range: %s` with %i', async (range, status, contentRange, length) => {
  const upstream = await start()
  const { url } = await connect(upstream).speech.createUrl({ ...SPEECH, response_format: 'wav' })
  const whole = await (await fetch(url)).bytes()
  expect(whole.byteLength).toBe(24_044)
  const response = await fetch(url, { headers: { range } })
  expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange])
  expect(response.headers.get('accept-ranges')).toBe('bytes')
  if (length === undefined) return
  const [, first = '0'] = /bytes (\d+)/.exec(contentRange ?? '') ?? []
  expect(await response.bytes()).toEqual(whole.subarray(Number(first), Number(first) + length))
})

test('a result URL answers with the whole file if `If-Range` names another', async () => {
  const upstream = await start()
  const { url } = await connect(upstream).speech.createUrl(SPEECH)
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const ask = async (condition: string): Promise<number> =>
    (await fetch(url, { headers: { range: 'bytes=0-9', 'if-range': condition } })).status
  expect([await ask(etag), await ask('"another"')]).toEqual([206, 200])
})

test('a result URL may have another origin', async () => {
  const upstream = await start({ resultUrl: ({ pathname }) => `https://elsewhere.test${pathname}` })
  const { url } = await connect(upstream).speech.createUrl(SPEECH)
  expect(url).toMatch(/^https:\/\/elsewhere\.test\/v1\/audio\/results\//)
})

test('a stream of events has all audio and its end', async () => {
  const upstream = await start({ speechSeconds: 1, chunkBytes: 1000 })
  const stream = await connect(upstream).speech.stream(STREAM)
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  expect(stream.format).toEqual(PCM_FORMAT)
  expect(Buffer.concat(chunks)).toEqual(tone(1))
})

test('an event stream has the framing of the interface', async () => {
  const upstream = await start({ speechSeconds: 0.1, chunkBytes: 2000 })
  const body = { ...STREAM, stream: true, response_format: 'pcm', stream_format: 'sse' }
  const response = await call(upstream, 'POST /v1/audio/speech', body)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const list = await readEvents(response)
  expect(list.map(({ type }) => type)).toEqual([
    'task.created',
    'speech.created',
    'speech.audio.delta',
    'speech.audio.delta',
    'speech.audio.delta',
    'speech.audio.done',
  ])
  expect(list[0]).toMatchObject({ object: 'audio.speech', status: 'PROCESSING', model: STREAM.model })
  expect(list[1]).toMatchObject({ format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 })
})

test('an event stream may omit task.created', async () => {
  const upstream = await start({ taskCreated: false })
  const body = { ...STREAM, stream: true, response_format: 'pcm', stream_format: 'sse' }
  const list = await readEvents(await call(upstream, 'POST /v1/audio/speech', body))
  expect(list[0]?.type).toBe('speech.created')
})

test('raw PCM states its format in the headers', async () => {
  const stream = await connect(await start()).speech.stream({ ...STREAM, stream_format: 'audio' })
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  expect(stream.format).toEqual(PCM_FORMAT)
  expect(Buffer.concat(chunks)).toEqual(tone(0.5))
})

test.each([
  ['unsupported_response_format', { response_format: 'mp3' }],
  ['unsupported_stream', { stream_format: 'chunks' }],
  ['unsupported_stream', { model: 'svc-tts-1.0-pro' }],
  ['unsupported_for_stream', { sample_rate: 16_000 }],
  ['invalid_range', { speed: 5 }],
  ['unsupported_with_async', { async: true }],
  ['unsupported_with_webhook', { webhook_url: 'https://hooks.test' }],
  ['missing_required_field', { input: '  ' }],
])('a stream is refused with %s for %o', async (code, field) => {
  const body = { ...STREAM, stream: true, response_format: 'pcm', ...field }
  const response = await callJson(await start(), 'POST /v1/audio/speech', body)
  expect(response).toMatchObject({ status: 400, body: { error: { code, message: expect.any(String) } } })
})

test('a dialogue has the same three outcomes', async () => {
  const upstream = await start()
  const route = 'POST /v1/audio/speech/speakers'
  const body = {
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'a', voice_id: 'voice-1' }],
    segments: [{ speaker: 'a', text: 'Good morning' }],
  }
  expect((await call(upstream, route, body)).headers.get('content-type')).toBe('audio/mpeg')
  expect(await callJson(upstream, route, { ...body, delivery_method: 'url' })).toMatchObject({
    body: { object: 'audio.speech', status: 'SUCCESS', response_format: 'mp3' },
  })
  expect(await callJson(upstream, route, { ...body, async: true })).toMatchObject({
    body: { object: 'audio.speech', status: 'PENDING' },
  })
  expect(await callJson(upstream, route, { ...body, segments: [{ speaker: 'b', text: 'x' }] })).toMatchObject({
    status: 400,
    body: { error: { param: 'segments[0].speaker' } },
  })
  expect(await callJson(upstream, route, { ...body, speakers: [] })).toMatchObject({
    body: { error: { code: 'missing_required_field', param: 'speakers' } },
  })
})

test('a voice generation names its object, and its model in a task', async () => {
  const upstream = await start()
  const route = 'POST /v1/audio/voice/generations'
  const body = { model: 'svc-voice-generator-1.0', input: 'Good morning', instruction: 'calm' }
  expect((await call(upstream, route, body)).headers.get('content-type')).toBe('audio/mpeg')
  expect(await callJson(upstream, route, { ...body, delivery_method: 'url' })).toMatchObject({
    body: { object: 'audio.voice_generation', content_type: 'audio/mpeg' },
  })
  const task = { object: 'audio.voice_generation', status: 'PENDING', model_id: body.model }
  expect(await callJson(upstream, route, { ...body, async: true })).toMatchObject({ body: task })
  expect(await callJson(upstream, route, { ...body, instruction: '' })).toMatchObject({
    body: { error: { param: 'instruction' } },
  })
})
