import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import { AudioClient } from '@svc-audio/core'
import { audioBytes, createTestUpstream, cut, handle, json, stall, status, type TestUpstream } from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { audioWebhooks, forwardAudio, playResult, speak } from '../src/index.ts'
import type { CheckedSpeakOptions } from '../src/adapter.ts'

const KEY = 'sk-sekret-key'
const SPEECH = audioBytes(Buffer.from('RIFFspeech'))

let upstream: TestUpstream
let client: AudioClient
const lines: string[] = []
const logger = { error: (line: string) => void lines.push(line) }
beforeEach(async () => {
  lines.length = 0
  upstream = await createTestUpstream({ apiKey: KEY, speechSeconds: 0.2 })
  client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url })
})
afterEach(async () => {
  await client.close()
  await upstream.close()
})

const speech = (options: Partial<CheckedSpeakOptions<Request>> = {}) =>
  speak({ client, voice_id: 'rms', logger, ...options } as never)

const say = (body: unknown = { text: 'Hello' }, init: RequestInit = {}): Request =>
  new Request('http://app.example/speak', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    ...init,
  })
const get = (url: string, init: RequestInit = {}): Request => new Request(`http://app.example${url}`, init)

describe('speech for a Web request', () => {
  test('is audio with its type, its length and headers against buffering', async () => {
    upstream.on('*', SPEECH)
    const response = await speech({ response_format: 'wav' })(say())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '10',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    })
    expect(await response.text()).toBe('RIFFspeech')
    expect(upstream.requests[0]?.json).toEqual({
      model: 'svc-tts-1.5-flash',
      input: 'Hello',
      voice_id: 'rms',
      response_format: 'wav',
    })
  })

  test('is sent while the service still synthesizes it', async () => {
    const rest = stall(
      { afterBytes: 5 },
      { headers: { 'content-type': 'audio/wav' }, body: [Buffer.from('first'), Buffer.from('last')] },
    )
    upstream.on('*', rest)
    const response = await speech()(say())
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    rest.release()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last')
  })

  test('takes its text from the body, else from the query, or from the function of the app', async () => {
    await (await speech()(get('/speak?text=from%20query'))).arrayBuffer()
    const text = ({ headers }: Request): string => `Hello ${headers.get('x-name')}`
    await (
      await speech({ text, body: () => ({ voice_id: 'slt' }) })(say('', { headers: { 'x-name': 'Ada' } }))
    ).arrayBuffer()
    expect(upstream.requests.map(({ json: sent }) => sent)).toMatchObject([
      { input: 'from query', voice_id: 'rms' },
      { input: 'Hello Ada', voice_id: 'slt' },
    ])
  })

  test.each([
    ['no text', () => say({}), 400, 'missing_text'],
    ['a number', () => say({ text: 5 }), 400, 'missing_text'],
    ['two texts', () => get('/speak?text=a&text=b'), 400, 'missing_text'],
    ['broken JSON', () => say('{"text":'), 400, 'invalid_json'],
    ['a body over 1 MiB', () => say({ text: 'x'.repeat(1024 * 1024) }), 413, 'content_too_large'],
  ])('is refused with %s, and nothing reaches the service', async (_name, request, expected, code) => {
    const response = await speech()(request())
    expect(response.status).toBe(expected)
    expect(await response.json()).toMatchObject({ error: { code } })
    expect(upstream.requests).toEqual([])
  })

  test('is raw PCM with its format in the headers', async () => {
    const response = await speech({ respond: 'pcm' })(say())
    expect(response.headers.get('content-type')).toBe('audio/pcm')
    expect(response.headers.get('x-sample-rate')).toMatch(/^\d+$/)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000)
  })

  test('is an event stream that proves its end', async () => {
    const response = await speech({ respond: 'sse' })(say())
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await response.text()).toMatch(/^data: \{.*"type":"speech.audio.done".*\}\n\n$/ms)
  })

  test('is a task, and the app gets it before the response', async () => {
    const ids: string[] = []
    const response = await speech({ respond: 'task', onTask: ({ id }) => void ids.push(id) })(say())
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ id: ids[0] })
  })

  test('of HEAD makes no call', async () => {
    expect((await speech()(get('/speak?text=Hello', { method: 'HEAD' }))).status).toBe(200)
    expect(upstream.requests).toEqual([])
  })

  test('that the service cuts breaks the body', async () => {
    upstream.on('*', cut({ afterBytes: 5 }, SPEECH))
    const response = await speech()(say())
    await expect(response.text()).rejects.toThrow('The audio service cannot be used')
  })

  test("that fails before its first byte is an error response without the service's words", async () => {
    upstream.on('*', status(500, { error: { code: 'x', message: `sekret ${KEY}` } }))
    const response = await speech()(say())
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('sekret')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^POST \/speak 502 audio_service_unavailable: ApiError/)
  })

  test('names when to retry', async () => {
    upstream.on('*', status(429, { headers: { 'retry-after': '7' } }))
    const response = await speech()(say())
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
  })

  test('stops the call when the client cancels the body', async () => {
    upstream.on(
      '*',
      stall(
        { afterBytes: 5 },
        { headers: { 'content-type': 'audio/wav' }, body: [Buffer.from('first'), Buffer.from('last')] },
      ),
    )
    const response = await speech()(say())
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await (await upstream.waitForRequest()).closed()).toBe('closedByClient')
  })

  test.each(['audio', 'pcm', 'sse'] as const)('as %s stops when the server aborts the request', async (respond) => {
    upstream.on('*', stall({ afterBytes: 0 }, SPEECH))
    const controller = new AbortController()
    const answering = speech({ respond })(say(undefined, { signal: controller.signal }))
    const request = await upstream.waitForRequest()
    controller.abort()
    expect(await request.closed()).toBe('closedByClient')
    expect((await answering).status).toBe(499)
  })

  test('of any call is answered, with the argument of the route function', async () => {
    upstream.on('*', SPEECH)
    const respond = forwardAudio<{ readonly request: Request; readonly voice: string }>({
      logger,
      call: ({ voice }, options) =>
        client.speech.create({ model: 'svc-tts-1.5-flash', input: 'Hi', voice_id: voice }, options),
    })
    expect(await (await respond({ request: say(), voice: 'awb' })).text()).toBe('RIFFspeech')
    expect(upstream.requests).toMatchObject([{ json: { voice_id: 'awb' } }])
  })

  test('needs a voice, and options that fit together', () => {
    // @ts-expect-error -- no voice
    expect(() => speak({ client })).toThrow('speak(): `voice_id` must be a voice id')
    expect(() => speech({ speed: 2 })).toThrow("`speed` needs respond: 'pcm' or 'sse'")
    expect(() => speech({ onTask: () => {} })).toThrow("`onTask` needs respond: 'task'")
    // @ts-expect-error -- an unknown option
    expect(() => speak({ client, voice_id: 'rms', voise: 1 })).toThrow('voise')
  })
})

describe('the result of a task for a Web request', () => {
  const play = playResult({
    client: () => client,
    logger,
    task: ({ url }: Request) => new URL(url).searchParams.get('id') ?? '',
  })
  const newTask = async (): Promise<string> => {
    const task = await client.speech.createTask({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
    return task.id
  }

  test('is its audio, and a part of it', async () => {
    const id = await newTask()
    const task = await client.tasks.wait(id, { pollInterval: 1 })
    const AUDIO = Buffer.from('0123456789')
    const headers = { 'content-type': 'audio/wav', 'accept-ranges': 'bytes' }
    upstream.on(
      '*',
      handle((response, { path, headers: asked }) => {
        if (path.includes('/tasks/')) response.setHeader('content-type', 'application/json').end(JSON.stringify(task))
        else if (asked['range'] === undefined) response.writeHead(200, { ...headers, 'content-length': 10 }).end(AUDIO)
        else if (asked['range'] === 'bytes=99-') response.writeHead(416).end()
        else {
          const part = { ...headers, 'content-range': 'bytes 2-5/10', 'content-length': 4 }
          response.writeHead(206, part).end(AUDIO.subarray(2, 6))
        }
      }),
    )
    const whole = await play(get(`/play?id=${id}`))
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes'])
    expect(whole.headers.get('cache-control')).toBe('private, no-transform')
    expect(await whole.text()).toBe('0123456789')
    const part = await play(get(`/play?id=${id}`, { headers: { range: 'bytes=2-5' } }))
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 2-5/10'])
    expect(await part.text()).toBe('2345')
    const head = await play(get(`/play?id=${id}`, { method: 'HEAD' }))
    expect([head.body, head.headers.get('content-length')]).toEqual([null, '10'])
    expect((await play(get(`/play?id=${id}`, { headers: { range: 'bytes=99-' } }))).status).toBe(416)
  })

  test('is 409 with a time before the end of the task, and 404 for an unknown task', async () => {
    upstream.on('*', json({ id: 't', object: 'audio.speech', status: 'PROCESSING', retry_after: 3 }))
    const early = await play(get('/play?id=t'))
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '3'])
    upstream.on('*', status(404))
    expect((await play(get('/play?id=none'))).status).toBe(404)
  })

  test('needs a function for the id of the task', () => {
    // @ts-expect-error -- the option is missing
    expect(() => playResult({ client })).toThrow('`task` must be a function of the request')
  })
})

describe('a webhook for a Web request', () => {
  test('runs the handler of the receiver once, and refuses other addresses', async () => {
    const handled: string[] = []
    const receiver = createWebhookReceiver({
      client,
      url: 'https://app.example/hooks',
      secret: 'a secret of thirty-two characters',
      handlers: { 'audio.speech': ({ id }) => void handled.push(id) },
    })
    const hook = audioWebhooks<{ readonly request: Request }>({ receiver })
    const task = await client.speech.createTask({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
    await client.tasks.wait(task.id, { pollInterval: 1 })
    const { url } = await receiver.createCallback()
    const post = (address: string): Request =>
      new Request(address, { method: 'POST', body: JSON.stringify({ task_id: task.id }) })
    expect((await hook({ request: post(url) })).status).toBe(200)
    expect(handled).toEqual([task.id])
    expect((await hook({ request: post('https://app.example/hooks?token=x') })).status).toBe(401)
    // @ts-expect-error -- no receiver
    expect(() => audioWebhooks({ receiver: {} })).toThrow('`receiver` must be a receiver')
  })
})
