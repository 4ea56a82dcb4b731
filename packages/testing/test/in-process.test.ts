import { ApiError, AudioClient, ConnectionError, StreamTruncatedError } from '@svc-audio/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  audioBytes,
  createInProcessUpstream,
  cut,
  dropConnection,
  handle,
  hold,
  redirect,
  status,
  type TestUpstream,
  wrongLength,
} from '../src/in-process.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'voice-1' }

let upstream: TestUpstream
let audio: AudioClient
beforeEach(() => {
  upstream = createInProcessUpstream()
  const { apiKey, url: baseUrl, transport } = upstream
  audio = new AudioClient({ apiKey, baseUrl, transport, maxRetries: 0 })
})
afterEach(() => upstream.close())

describe('a client without a network', () => {
  test('gets happy responses, and its requests are recorded', async () => {
    expect((await (await audio.speech.create(SPEECH)).bytes()).byteLength).toBeGreaterThan(1000)
    expect(upstream.requests[0]).toMatchObject({ authorized: true, json: SPEECH })
    expect(await upstream.requests[0]?.closed()).toBe('finished')
  })

  test('uploads a file in a form', async () => {
    const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: new Uint8Array(5000) })
    expect(text).toContain('Good morning')
    expect(upstream.requests[0]?.form?.files[0]).toMatchObject({ bytes: 5000 })
  })

  test('reads a stream of events to its end', async () => {
    const stream = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello' })
    expect((await stream.toWav()).byteLength).toBeGreaterThan(1000)
    expect(stream.complete).toBe(true)
  })

  test('waits for a task and downloads its result', async () => {
    const task = await audio.speech.createTask(SPEECH)
    const { url } = Object(await task.wait({ pollInterval: 1 }))
    expect((await (await upstream.fetch(String(url))).arrayBuffer()).byteLength).toBeGreaterThan(1000)
  })

  test('gets scripted errors', async () => {
    upstream.next('POST /v1/audio/speech', status(404, { error: { code: 'voice_not_found' } }))
    await expect(audio.speech.create(SPEECH)).rejects.toMatchObject({ status: 404, code: 'voice_not_found' })
    await expect(audio.speech.create(SPEECH)).resolves.toBeDefined()
  })

  test('gets no response from a dropped connection', async () => {
    upstream.next('GET /v1/models', dropConnection())
    await expect(audio.models.list()).rejects.toBeInstanceOf(ConnectionError)
    expect(await upstream.requests[0]?.closed()).toBe('closedByUpstream')
  })

  test('notices a cut stream', async () => {
    upstream.next('POST /v1/audio/speech', cut({ afterBytes: 300 }))
    const stream = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello' })
    await expect(stream.toWav()).rejects.toBeInstanceOf(StreamTruncatedError)
  })

  test.each([7, -7])('notices a length that is wrong by %d', async (delta) => {
    upstream.next('POST /v1/audio/speech', wrongLength(delta, audioBytes(new Uint8Array(5000))))
    const speech = audio.speech.create(SPEECH).then((created) => created.bytes())
    await expect(speech).rejects.toBeInstanceOf(StreamTruncatedError)
  })

  test('aborts a held response', async () => {
    upstream.next('GET /v1/models', hold())
    const controller = new AbortController()
    const models = audio.models.list({ signal: controller.signal })
    const request = await upstream.waitForRequest('GET /v1/models')
    controller.abort(new Error('enough'))
    await expect(models).rejects.toThrow('enough')
    expect(await request.closed()).toBe('closedByClient')
  })
})

test('two upstreams in one process are apart', async () => {
  const other = createInProcessUpstream({ voices: 7, apiKey: 'other' })
  const { apiKey, url: baseUrl, transport } = other
  const second = new AudioClient({ apiKey, baseUrl, transport })
  expect((await second.voices.list()).data).toHaveLength(7)
  expect((await audio.voices.list()).data).toHaveLength(3)
  expect([other.requests.length, upstream.requests.length]).toEqual([1, 1])
  await other.close()
})

describe('fetch without a network', () => {
  test('returns redirects, and responses without a body', async () => {
    upstream.on('*', redirect('https://example.com/'))
    expect((await upstream.fetch(`${upstream.url}/any`)).status).toBe(307)
    upstream.on('*', status(204))
    expect((await upstream.fetch(new URL('/any', upstream.url))).body).toBeNull()
  })

  test('refuses another key', async () => {
    const response = await upstream.fetch(`${upstream.url}/v1/models`, { headers: { authorization: 'Bearer no' } })
    expect(response.status).toBe(401)
  })

  test('rejects with the reason of a signal that is aborted already', async () => {
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(upstream.fetch(`${upstream.url}/v1/models`, { signal })).rejects.toThrow('too late')
  })

  test('says that handle() needs a server', async () => {
    upstream.next(
      'GET /v1/models',
      handle((response) => void response.end()),
    )
    await expect(audio.models.list()).rejects.toThrow(ApiError)
    expect(upstream.requests).toHaveLength(1)
  })
})
