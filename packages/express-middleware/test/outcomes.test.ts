import { once } from 'node:events'
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import {
  audioBytes,
  createTestUpstream,
  cut,
  events,
  json,
  stall,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { describeFailure } from '@svc-audio/upload/adapter'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  audioErrors,
  audioWebhooks,
  forwardAudio,
  forwardUpload,
  playResult,
  speak,
  transcribeUpload,
} from '../src/index.ts'
import { expressOf, KEY, startApp, type StartAppOptions, type TestApp } from './support/app.ts'

const PRO = 'svc-transcribe-diarize-pro'
const EVENTS = [
  { type: 'task.created', task_id: 't1', object: 'audio.transcription', status: 'PROCESSING', model: PRO },
  { type: 'transcript.text.delta', delta: 'hello ' },
  { type: 'transcript.text.delta', delta: 'world' },
  { type: 'transcript.text.done', text: 'hello world' },
]
const JSON_TYPE = { 'content-type': 'application/json' }

let upstream: TestUpstream
let app: TestApp | undefined
beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await upstream.close()
})

async function start(configure: Parameters<typeof startApp>[1], options: StartAppOptions = {}): Promise<TestApp> {
  app = await startApp(upstream.url, configure, options)
  return app
}

/** The JSON of every `data:` line. */
function dataOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame): unknown => JSON.parse(frame.slice(6)))
}

const say = (url: string, text = 'Hello') =>
  fetch(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ text }) })
const post = (url: string, body: FormData = uploadForm(wavFile(2000))) => fetch(url, { method: 'POST', body })

describe.each([4, 5] as const)('transcribeUpload on Express %i', (version) => {
  test("answers with the service's events, with a model that supports them", async () => {
    upstream.on('*', events(EVENTS))
    const { url } = await start((routes, client) => routes.post('/', transcribeUpload({ client, respond: 'sse' })), {
      version,
    })
    const response = await post(url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(dataOf(await response.text())).toEqual(EVENTS)
    expect(upstream.requests[0]?.form?.fields).toMatchObject({ model: [PRO], stream: ['true'] })
  })

  test('sends each event at once, and a later failure as a safe event', async () => {
    const secret = { type: 'error', code: 'sekret', message: 'sekret' }
    const held = stall({ afterBytes: 10 }, events([...EVENTS.slice(0, 2), secret]))
    upstream.on('*', held)
    const running = await start((routes, client) => routes.post('/', transcribeUpload({ client, respond: 'sse' })), {
      version,
    })
    const response = post(running.url)
    held.release()
    const text = await (await response).text()
    expect(dataOf(text)).toEqual([
      ...EVENTS.slice(0, 2),
      { type: 'error', code: 'audio_service_unavailable', message: expect.any(String) as string },
    ])
    expect(text).not.toContain('sekret')
    expect(await running.errors(1)).toMatchObject([{ status: 502, error: { cause: { name: 'StreamFailedError' } } }])
  })

  test('answers a failure before the first event with its status', async () => {
    upstream.on('*', cut({}, events(EVENTS)))
    const { url } = await start((routes, client) => routes.post('/', transcribeUpload({ client, respond: 'sse' })), {
      version,
    })
    expect((await post(url)).status).toBe(502)
  })

  test('answers with a task, after the app has stored it', async () => {
    const stored: string[] = []
    const { url } = await start(
      (routes, client) => {
        const onTask = (task: { id: string }): void => void stored.push(task.id)
        const webhook_url = ({ hostname }: { hostname: string }): string => `https://hooks.example/${hostname}`
        routes.post('/', transcribeUpload({ client, respond: 'task', onTask, webhook_url }))
      },
      { version },
    )
    const response = await post(url)
    const task = (await response.json()) as { task_id: string; status: string }
    expect(response.status).toBe(202)
    expect(task.status).toBe('PENDING')
    expect(stored).toEqual([task.task_id])
    expect(upstream.requests[0]?.form?.fields).toMatchObject({
      async: ['true'],
      webhook_url: ['https://hooks.example/127.0.0.1'],
    })
  })
})

test('a wrong result of a function of the request is a 500 before any call, and the log names the option', async () => {
  const wrong: Readonly<Record<string, Record<string, unknown>>> = {
    client: { client: () => undefined },
    model: { model: () => 'svc-tts-1.0-pro' },
    diarize: { diarize: () => 'yes' },
    keyterms: { keyterms: () => 'Ada' },
    maxFileSize: { maxFileSize: () => '5mb' },
    accept: { accept: async () => 'audio/*' },
    body: { body: () => ({ keyterm: ['Ada'] }) },
    webhook_url: { respond: 'task', webhook_url: () => 'app.example' },
  }
  const speech: typeof wrong = {
    client: { client: () => ({}) },
    voice_id: { voice_id: () => 5 },
    aigc_metadata: { aigc_metadata: () => 'x' },
    speed: { respond: 'pcm', speed: () => 9 },
    body: { body: () => ({ voice: 'rms' }) },
  }
  const { url, reported } = await start((routes, client) => {
    for (const [name, options] of Object.entries(wrong)) {
      routes.post(`/upload/${name}`, transcribeUpload({ client, ...options }))
    }
    for (const [name, options] of Object.entries(speech)) {
      routes.post(`/speak/${name}`, speak({ client, voice_id: 'rms', text: () => 'Hello', ...options }))
    }
  })
  for (const name of Object.keys(wrong)) expect((await post(`${url}/upload/${name}`)).status).toBe(500)
  for (const name of Object.keys(speech)) {
    expect((await fetch(`${url}/speak/${name}`, { method: 'POST' })).status).toBe(500)
  }
  const names = [...Object.keys(wrong), ...Object.keys(speech)]
  const causes = reported.map(({ error }) => describeFailure(error))
  expect(causes).toEqual(
    names.map((name) => expect.stringContaining(`The result of the function \`${name}\``) as string),
  )
  expect(upstream.requests).toEqual([])
})

test('fields that `body` leaves undefined keep their fixed values', async () => {
  upstream.on('*', audioBytes(Buffer.from('RIFFspeech')))
  const { url } = await start((routes, client) => {
    const body = (): Record<string, undefined> => ({ voice_id: undefined, model: undefined })
    routes.post('/', speak({ client, voice_id: 'rms', text: () => 'Hello', body }))
    routes.post('/input', speak({ client, voice_id: 'rms', body: () => ({ input: 'Own text' }) }))
    routes.post('/none', speak({ client, voice_id: 'rms', text: () => undefined as never }))
  })
  expect((await fetch(url, { method: 'POST' })).status).toBe(200)
  expect((await fetch(`${url}/input`, { method: 'POST' })).status).toBe(200)
  const none = await fetch(`${url}/none`, { method: 'POST' })
  expect([none.status, await none.json()]).toMatchObject([400, { error: { code: 'missing_text' } }])
  expect(upstream.requests.map(({ json: sent }) => sent)).toMatchObject([
    { voice_id: 'rms', model: 'svc-tts-1.5-flash', input: 'Hello' },
    { input: 'Own text' },
  ])
})

test('client, model and limits can be functions of the request', async () => {
  const { url } = await start((routes, client) => {
    routes.post(
      '/:tenant',
      transcribeUpload({
        client: async ({ params }) => {
          if (params['tenant'] === 'unknown') throw Object.assign(new Error('no such tenant'), { status: 403 })
          return client
        },
        model: ({ params }) => (params['tenant'] === 'large' ? PRO : undefined),
        keyterms: ({ params }) => (params['tenant'] === 'large' ? ['Ada'] : undefined),
        maxFileSize: ({ params }) => (params['tenant'] === 'large' ? 1_000_000 : 1000),
      }),
      (request, response) => void response.json(request.transcription),
    )
  })
  expect((await post(`${url}/large`)).status).toBe(200)
  expect((await post(`${url}/small`)).status).toBe(413)
  expect((await post(`${url}/small`, uploadForm(wavFile(9)))).status).toBe(200)
  expect((await post(`${url}/unknown`)).status).toBe(403)
  expect(upstream.requests.map(({ form }) => form?.fields)).toEqual([
    { model: [PRO], keyterms: ['Ada'], response_format: ['json'] },
    { model: ['svc-transcribe-1.0'], response_format: ['json'] },
  ])
})

describe('speak', () => {
  const FORMAT = { type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 }
  const speech = [FORMAT, { type: 'speech.audio.delta', audio: 'AAECAw==' }, { type: 'speech.audio.done' }]

  test('answers with PCM and its format', async () => {
    upstream.on('*', events(speech))
    const { url } = await start((routes, client) => {
      const options = { client, speed: 1.5, language: () => 'en' }
      routes.post('/', expressOf(5).json(), speak({ ...options, respond: 'pcm' }))
    })
    const response = await say(url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/pcm',
      'x-sample-rate': '24000',
      'x-channels': '1',
      'x-bit-depth': '16',
      'x-content-type-options': 'nosniff',
    })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 1, 2, 3]))
    expect(upstream.requests[0]?.json).toMatchObject({ stream: true, speed: 1.5, language: 'en', input: 'Hello' })
  })

  test('answers with events', async () => {
    upstream.on('*', events(speech))
    const { url } = await start((routes, client) => {
      routes.post('/', expressOf(5).json(), speak({ client, respond: 'sse' }))
    })
    expect(dataOf(await (await say(url)).text())).toEqual(speech)
  })

  test('answers with a task', async () => {
    const { url } = await start((routes, client) => {
      routes.post('/', expressOf(5).json(), speak({ client, voice_id: 'rms', respond: 'task' }))
      routes.get('/speech/:id', playResult({ client }))
    })
    const response = await say(url)
    expect(response.status).toBe(202)
    const { task_id: id } = (await response.json()) as { task_id: string }
    const pending = await fetch(`${url}/speech/${id}`)
    expect([pending.status, await pending.json()]).toEqual([
      409,
      { error: { code: 'audio_not_ready', message: 'The audio is not ready yet' } },
    ])
    expect(Number(pending.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await fetch(`${url}/speech/nothing`)).status).toBe(404)
  })
})

test('the audio may come from any call', async () => {
  const { url } = await start((routes, client) => {
    const speakers = [{ id: 'a', voice_id: 'rms' }]
    const call: Parameters<typeof forwardAudio>[0]['call'] = ({ body }: { body: { lines: string[] } }, options) =>
      client.dialogue.create(
        { model: 'svc-ttsd-1.0', speakers, segments: body.lines.map((text) => ({ speaker: 'a', text })) },
        options,
      )
    routes.post('/', expressOf(5).json(), forwardAudio({ call }))
  })
  const response = await fetch(url, { method: 'POST', headers: JSON_TYPE, body: '{"lines":["One","Two"]}' })
  expect(response.headers.get('content-type')).toMatch(/^audio\//)
  expect(upstream.requests[0]?.json).toMatchObject({ segments: [{ text: 'One' }, { text: 'Two' }] })
})

test('the app chooses the format and texts of errors', async () => {
  const { url } = await start((routes, client) => routes.post('/', transcribeUpload({ client })), {
    audioErrors: {
      format: ({ status, code, message }, { path }) => ({ status, type: code, title: message, instance: path }),
      contentType: 'application/problem+json',
      messages: { empty_file: 'Die Datei ist leer' },
    },
  })
  const response = await post(url, uploadForm(Buffer.alloc(0)))
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  expect(await response.json()).toEqual({
    status: 400,
    type: 'empty_file',
    title: 'Die Datei ist leer',
    instance: '/',
  })
})

test.each([
  ['returns nothing', (() => undefined) as never, '`format` must return an object, got undefined'],
  [
    'throws',
    () => {
      throw new Error('no template')
    },
    '`format` has thrown <- Error: no template',
  ],
])('a format that %s is logged, and the default body is sent', async (_what, format, line) => {
  const { url } = await start((routes, client) => routes.post('/', transcribeUpload({ client })), {
    audioErrors: { format, logger: { error: (text) => void lines.push(text) } },
  })
  const lines: string[] = []
  const response = await post(url, uploadForm(Buffer.alloc(0)))
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'empty_file' } }])
  expect(lines).toMatchObject([expect.stringContaining(line)])
})

test('a message for an unknown code is a warning that names it', async () => {
  const warned = once(process, 'warning')
  audioErrors({ messages: { empty_file: 'Leer', file_to_large: 'Zu gross' } })
  expect(await warned).toMatchObject([{ message: expect.stringContaining('a text for `file_to_large`') as string }])
})

describe.each([4, 5] as const)('audioWebhooks on Express %i', (version) => {
  async function hooks(parser?: 'json' | 'raw') {
    const handled: string[] = []
    const { url } = await start(
      (routes, client) => {
        const receiver = createWebhookReceiver({
          client,
          secret: 's'.repeat(32),
          url: 'https://app.example/hooks',
          handlers: { '*': (task) => void handled.push(task.id) },
        })
        if (parser !== undefined) routes.use(expressOf(version)[parser]({ type: () => true }))
        routes.use('/hooks', audioWebhooks({ receiver }))
        routes.get('/new', async (_request, response) => {
          response.json((await receiver.createCallback()).url)
        })
      },
      { version },
    )
    const created = (await (await fetch(`${url}/new`)).json()) as string
    return { handled, callback: `${url}/hooks${new URL(created).search}` }
  }

  const task = { id: 'task_1', object: 'audio.speech', status: 'SUCCESS', created_at: 1, updated_at: 2 }
  const call = (url: string, body: string, method = 'POST') => fetch(url, { method, headers: JSON_TYPE, body })

  test.each([undefined, 'json', 'raw'] as const)(
    'a callback is handled once, behind the parser %s too',
    async (parser) => {
      upstream.on('*', json(task))
      const { handled, callback } = await hooks(parser)
      expect((await call(callback, JSON.stringify({ id: 'task_1' }))).status).toBe(200)
      expect((await call(callback, JSON.stringify({ id: 'task_1' }))).status).toBe(200)
      expect(handled).toEqual(['task_1'])
    },
  )

  test('a forged call, another method and an oversized body are refused', async () => {
    const { handled, callback } = await hooks()
    expect((await call(`${callback}x`, '{"id":"task_1"}')).status).toBe(401)
    expect((await fetch(callback)).status).toBe(405)
    expect((await call(callback, 'x'.repeat(1_100_000))).status).toBe(413)
    expect(handled).toEqual([])
    expect(upstream.requests).toEqual([])
  })
})

test('a wrong option is refused by name when the app starts', () => {
  const client = { transcriptions: {}, speech: {}, tasks: {} } as never
  const bad = (make: () => unknown, message: string): void => expect(make).toThrow(message)
  bad(() => transcribeUpload(undefined as never), 'transcribeUpload(): the options must be an object, got undefined')
  bad(
    () => transcribeUpload({ client: 'sk-key' as never }),
    '`client` must be an AudioClient of @svc-audio/core, got a',
  )
  bad(() => transcribeUpload({ client, model: 'svc-tts-1.0-pro' }), '`model` must be a transcription model')
  bad(() => transcribeUpload({ client, model: 5 as never }), '`model` must be a non-empty string, got 5')
  bad(
    () => transcribeUpload({ client, model: 'svc-transcribe-1.0', keyterms: ['a'] } as never),
    '`keyterms` needs the model',
  )
  bad(
    () => transcribeUpload({ client, model: 'svc-transcribe-1.0', respond: 'sse' } as never),
    '`respond` needs the model',
  )
  bad(() => transcribeUpload({ client, timeout: Number.NaN }), '`timeout` must be a number of milliseconds')
  bad(() => transcribeUpload({ client, accept: 'audio/*' as never }), '`accept` must be a non-empty array')
  bad(() => transcribeUpload({ client, maxSize: 5 } as never), 'Unknown option `maxSize`')
  bad(() => speak({ client } as never), 'speak(): `voice_id` must be a voice id, got undefined')
  bad(() => speak({ client, voice_id: 'rms', model: 'svc-transcribe-1.0' }), '`model` must be a speech model')
  bad(() => speak({ client, voice_id: 'rms', voice: 'x' } as never), 'Unknown option `voice`')
  bad(() => speak({ client, voice_id: 'rms', speed: 2 } as never), "`speed` needs respond: 'pcm' or 'sse'")
  bad(() => speak({ client, respond: 'pcm', response_format: 'mp3' } as never), '`response_format` is always pcm')
  bad(() => speak({ client, voice_id: '' }), '`voice_id` must be a non-empty string, got an empty string')
  const hook = 'https://app.example/hooks'
  bad(() => transcribeUpload({ client, webhook_url: hook } as never), "`webhook_url` needs respond: 'task'")
  bad(() => speak({ client, voice_id: 'rms', onTask: () => {} } as never), "`onTask` needs respond: 'task'")
  bad(() => transcribeUpload({ client, respond: 'task', webhook_url: 'app.example' }), '`webhook_url` must be a URL')
  bad(() => forwardUpload({} as never), '`call` must be a function, got undefined')
  bad(() => forwardAudio({} as never), '`call` must be a function')
  bad(() => playResult({} as never), '`client` must be an AudioClient')
  bad(() => audioWebhooks({} as never), '`receiver` must be a receiver: createWebhookReceiver()')
})
