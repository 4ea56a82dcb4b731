import {
  BEHAVIOUR_ROWS,
  type BehaviourService,
  GUARD_ROW,
  ROWS_WITHOUT_SOCKET,
  startBehaviourService,
  termsOf,
  UPLOAD_ROWS,
  WITHOUT_SOCKET,
} from '@svc-audio/kit/behaviour'
import { createTestUpstream, status, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  audioErrors,
  audioWebhooks,
  discardUnread,
  forwardUpload,
  playResult,
  speak,
  transcribeUpload,
} from '../src/index.ts'
import { expressOf, type ExpressVersion, KEY, startApp, type TestApp } from './support/app.ts'

const SECRET = `sekret words at http://10.0.0.5, ${KEY}`

let upstream: TestUpstream
let app: TestApp | undefined
let logged: string[]
beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello', speechSeconds: 0.2 })
  logged = []
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(String(line)))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await app?.close()
  app = undefined
  await upstream.close()
})

async function start(version: ExpressVersion, withErrors: boolean): Promise<TestApp> {
  app = await startApp(
    upstream.url,
    (routes, client) => {
      const options = { client, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }
      routes.post('/transcribe', transcribeUpload(options), (request, response) => {
        response.json(request.transcription)
      })
      routes.post('/files', forwardUpload({ call: ({ file, options: call }) => client.files.create({ file }, call) }))
      routes.all('/speak', expressOf(version).json(), speak({ client, voice_id: 'rms' }))
      routes.post('/forgot', speak({ client, voice_id: 'rms' }))
    },
    { version, audioErrors: withErrors ? {} : false },
  )
  return app
}

/** Starts an app with the routes of the behaviour table. */
async function startTable(
  version: ExpressVersion,
  { client, receiver, upstream: service }: BehaviourService,
): Promise<TestApp> {
  const noPlan = (): number => {
    throw Object.assign(new Error('no plan'), { status: 402 })
  }
  app = await startApp(
    service.url,
    (routes) => {
      routes.use(discardUnread())
      const limits = { model: 'svc-transcribe-1.0', maxFileSize: 100_000 }
      routes.post('/transcribe', transcribeUpload({ client, ...limits }), (request, response) => {
        response.json(request.transcription)
      })
      routes.post('/answer', transcribeUpload({ client, body: termsOf }), ({ transcription, upload }, response) => {
        response.json({ text: transcription.text, upload })
      })
      routes.post('/quick', transcribeUpload({ client, timeout: 1000 }), (request, response) => {
        response.json(request.transcription)
      })
      routes.post('/live', transcribeUpload({ client, respond: 'sse' }))
      routes.post('/task', transcribeUpload({ client, respond: 'task' }))
      routes.post('/quota', transcribeUpload({ client, maxFileSize: noPlan }))
      const guard: RequestHandler = (_request, response) => void response.status(401).end()
      routes.post('/guarded', guard, transcribeUpload({ client }))
      routes.post('/files', forwardUpload({ call: ({ file, options: call }) => client.files.create({ file }, call) }))
      const parser = expressOf(version).json()
      routes.all('/speak', parser, speak({ client, voice_id: 'rms' }))
      routes.post('/pcm', parser, speak({ client, respond: 'pcm' }))
      routes.post('/events', parser, speak({ client, respond: 'sse' }))
      routes.get('/play/:id', playResult({ client }))
      routes.post('/hooks', audioWebhooks({ receiver }))
    },
    { version },
  )
  return app
}

describe.each([4, 5] as const)('Express %i', (version) => {
  test.each([...BEHAVIOUR_ROWS, GUARD_ROW])('$fact', async ({ observe, expected }) => {
    await using service = await startBehaviourService()
    const { url } = await startTable(version, service)
    expect(await observe({ ...service, url, handled: () => service.handled })).toEqual(expected)
    await app?.close()
    app = undefined
  })
})

describe.each(Object.entries(WITHOUT_SOCKET))('Express 5 without a socket, behind %s', (_name, reach) => {
  test.each(ROWS_WITHOUT_SOCKET)('$fact', async ({ observe, expected }) => {
    await using service = await startBehaviourService()
    const { app: express } = await startTable(5, service)
    await using bridge = await reach(express)
    expect(await observe({ ...service, url: bridge.url, handled: () => service.handled })).toEqual(expected)
  })
})

const cases = ([4, 5] as const).flatMap((version) => [true, false].map((withErrors) => [version, withErrors] as const))

describe.each(cases)('Express %i, audioErrors %s', (version, withErrors) => {
  test.each([
    [401, 502],
    [403, 502],
    [429, 429],
    [500, 502],
    [503, 502],
    [415, 415],
  ])("the service's %i is %i, and its words are on no page", async (theirs, ours) => {
    const { url } = await start(version, withErrors)
    upstream.on('*', status(theirs, { headers: { 'retry-after': '7' }, error: { code: SECRET, message: SECRET } }))
    const headers = { 'content-type': 'application/json' }
    const responses = await Promise.all([
      fetch(`${url}/transcribe`, { method: 'POST', body: uploadForm(wavFile(2000)) }),
      fetch(`${url}/files`, { method: 'POST', body: uploadForm(wavFile(2000)) }),
      fetch(`${url}/speak`, { method: 'POST', body: '{"text":"Hello"}', headers }),
    ])
    for (const response of responses) {
      expect(response.status).toBe(ours)
      expect(response.headers.get('retry-after')).toBe('7')
      expect(await response.text()).not.toMatch(/sekret|10\.0\.0/)
    }
    // One call each: no retries while a browser waits.
    expect(upstream.requests).toHaveLength(3)
    const lines = withErrors ? (app?.lines ?? []) : logged.filter((line) => line.includes('ApiError'))
    expect(lines).toHaveLength(ours >= 500 ? 3 : 0)
    for (const line of lines) {
      expect(line).toMatch(/^POST \/\w+ 502 audio_service_unavailable: ApiError.* \d{3}: sekret/)
      expect(line).not.toContain(KEY)
    }
  })

  test('a failed JSON request does not end the process', async () => {
    const { url } = await start(version, withErrors)
    upstream.on('*', status(500))
    const headers = { 'content-type': 'application/json' }
    const post = (path: string, body: string) => fetch(url + path, { method: 'POST', body, headers })
    expect((await post('/speak', '{"text":"Hello"}')).status).toBe(502)
    expect((await post('/speak', '{"input":"x"}')).status).toBe(400)
    expect((await post('/speak', '{"input":')).status).toBe(400)
    expect((await post('/forgot', '{"text":"x"}')).status).toBe(400)
    expect((await post('/transcribe', '{}')).status).toBe(415)
  })
})

test('audioErrors() discards the body of a request that another error handler answers', async () => {
  const answer: ErrorRequestHandler = (_error, _request, response, _next) => void response.status(401).end()
  app = await startApp(
    upstream.url,
    (routes) => {
      routes.post('/guarded', (_request, _response, next) => next(new Error('no login')))
      routes.use(audioErrors(), answer)
    },
    { audioErrors: false },
  )
  await using service = await startBehaviourService()
  const { url } = app
  expect(await GUARD_ROW.observe({ ...service, url, handled: () => [] })).toEqual(GUARD_ROW.expected)
})

test('the error for a missing text names the way to send it, and only the log a missing parser', async () => {
  const { url, lines } = await start(5, true)
  const post = async (path: string, body: string): Promise<string> => {
    const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    return response.text()
  }
  expect(await post('/speak', '{"input":"x"}')).toContain('Send `text`')
  expect(lines).toEqual([])
  expect(await post('/forgot', '{"text":"x"}')).not.toContain('express.json()')
  expect(lines).toEqual([
    'POST /forgot 400 missing_text: ConfigurationError: No body parser has read the body: add express.json() to the route',
  ])
})

test.each(UPLOAD_ROWS)('without audioErrors, an upload of $case is $status too', async (row) => {
  const { url } = await start(5, false)
  const { status: expected, body, headers = {} } = row
  expect((await fetch(`${url}/transcribe`, { method: 'POST', body, headers })).status).toBe(expected)
})
