import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { AudioClient } from '@svc-audio/core'
import { BEHAVIOUR_ROWS, type BehaviourService, startBehaviourService, termsOf } from '@svc-audio/kit/behaviour'
import { serverUrl, uploadForm, wavFile } from '@svc-audio/testing'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { audioWebhooks, forwardAudio, forwardUpload, playResult, speak, transcribeUpload } from '../src/index.ts'

let service: BehaviourService
let client: AudioClient
let url = ''
let server: Server

const noPlan = (): number => {
  throw new HTTPException(402)
}

beforeEach(async () => {
  service = await startBehaviourService()
  client = service.client
  const app = new Hono()
  const shared = { client, logger: false } as const
  app.post('/transcribe', transcribeUpload({ ...shared, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }))
  app.post(
    '/answer',
    transcribeUpload({
      ...shared,
      body: termsOf,
      answer: ({ transcription: { text }, upload }) => Response.json({ text, upload }),
    }),
  )
  app.post('/quick', transcribeUpload({ ...shared, timeout: 1000 }))
  app.post('/live', transcribeUpload({ ...shared, respond: 'sse' }))
  app.post('/task', transcribeUpload({ ...shared, respond: 'task' }))
  app.post('/quota', transcribeUpload({ ...shared, maxFileSize: noPlan }))
  app.post(
    '/files',
    forwardUpload({ logger: false, call: ({ file, options }) => client.files.create({ file }, options) }),
  )
  app.on(['GET', 'POST'], '/speak', speak({ ...shared, voice_id: 'rms' }))
  app.post('/pcm', speak({ ...shared, respond: 'pcm' }))
  app.post('/events', speak({ ...shared, respond: 'sse' }))
  app.get('/play/:id', playResult(shared))
  app.post('/hooks', audioWebhooks({ receiver: service.receiver }))
  server = createAdaptorServer(app) as Server
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = serverUrl(server)
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await service[Symbol.asyncDispose]()
})

test.each(BEHAVIOUR_ROWS)('$fact', async ({ observe, expected }) => {
  expect(await observe({ ...service, url, handled: () => service.handled })).toEqual(expected)
})

test('options are checked when the route is made', () => {
  const bad = (make: () => unknown, message: string): void => expect(make).toThrow(message)
  bad(() => transcribeUpload({} as never), 'transcribeUpload(): `client` must be an AudioClient')
  // @ts-expect-error -- without a task
  bad(() => transcribeUpload({ client, onTask: () => {} }), "`onTask` needs respond: 'task'")
  bad(() => forwardUpload({} as never), 'forwardUpload(): `call` must be a function')
  // @ts-expect-error -- without a voice
  bad(() => speak({ client }), 'speak(): `voice_id` must be a voice id')
  bad(() => forwardAudio({ call: async () => client.speech.create({} as never), timeout: -1 }), '`timeout` must be')
  bad(() => playResult({ client, tusk: 1 } as never), 'tusk')
  bad(() => audioWebhooks({ receiver: {} as never }), '`receiver` must be a receiver')
})

test('an error handler of the app gets the status, a safe message and the original error', async () => {
  interface AppEnv {
    readonly Variables: { readonly limit: number }
  }
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    c.set('limit', 1000)
    await next()
  })
  app.post('/', transcribeUpload<AppEnv>({ client, logger: false, maxFileSize: (c) => c.get('limit') }))
  app.onError((error, c) => {
    const { status: code, message, cause } = error as HTTPException
    return c.json({ code, message, cause: (cause as { readonly code: string }).code })
  })
  const response = await app.request('/', { method: 'POST', body: uploadForm(wavFile(2000)) })
  expect(await response.json()).toEqual({
    code: 413,
    message: 'The file is larger than 1000 bytes',
    cause: 'file_too_large',
  })
})

test('speech takes its text from a body that a middleware has read', async () => {
  const app = new Hono()
  app.post('/', async (c, next) => void ((await c.req.json()) && (await next())), speak({ client, voice_id: 'rms' }))
  const init = { method: 'POST', body: '{"text":"Hello"}', headers: { 'content-type': 'application/json' } }
  expect((await app.request('/', init)).status).toBe(200)
  expect(service.upstream.requests).toMatchObject([{ json: { input: 'Hello' } }])
})

test('a refusal is written in one piece, because HAProxy may forward a head and keep the body behind it', async () => {
  const writes = vi.fn<() => void>()
  server.once('connection', (accepted: Socket) => {
    for (const name of ['_write', '_writev'] as const) {
      const write = accepted[name]?.bind(accepted) as (...args: unknown[]) => void
      Object.assign(accepted, { [name]: (...args: unknown[]) => (writes(), write(...args)) })
    }
  })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write('POST /transcribe HTTP/1.1\r\nHost: app\r\nContent-Length: 60000000\r\n')
  socket.write('Content-Type: multipart/form-data; boundary=b\r\n\r\n')
  let response = ''
  for await (const text of socket) if ((response += text).endsWith('}}')) break
  expect(response).toMatch(/^HTTP\/1.1 413 .*"file_too_large"/s)
  expect(writes).toHaveBeenCalledTimes(1)
})
