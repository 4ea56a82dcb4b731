import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { AudioClient } from '@svc-audio/core'
import {
  BEHAVIOUR_ROWS,
  type BehaviourService,
  GUARD_ROW,
  invoking,
  type Sender,
  ROWS_WITHOUT_SOCKET,
  startBehaviourService,
  startBridge,
  termsOf,
  type WholeRequest,
  type WholeResponse,
} from '@svc-audio/kit/behaviour'
import { serverUrl, uploadForm, wavFile } from '@svc-audio/testing'
import { Hono } from 'hono'
import { handle, type LambdaEvent } from 'hono/aws-lambda'
import { HTTPException } from 'hono/http-exception'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  discardUnread,
  forwardAudio,
  audioWebhooks,
  playResult,
  speak,
  transcribeUpload,
  forwardUpload,
} from '../src/index.ts'

let service: BehaviourService
let client: AudioClient
let url = ''
let server: Server
let table: Hono

const noPlan = (): number => {
  throw new HTTPException(402)
}

beforeEach(async () => {
  service = await startBehaviourService()
  client = service.client
  table = new Hono()
  table.use(discardUnread())
  const shared = { client, logger: false } as const
  table.post('/transcribe', transcribeUpload({ ...shared, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }))
  table.post(
    '/answer',
    transcribeUpload({
      ...shared,
      body: termsOf,
      answer: ({ transcription: { text }, upload }) => Response.json({ text, upload }),
    }),
  )
  table.post('/quick', transcribeUpload({ ...shared, timeout: 1000 }))
  table.post('/live', transcribeUpload({ ...shared, respond: 'sse' }))
  table.post('/task', transcribeUpload({ ...shared, respond: 'task' }))
  table.post('/quota', transcribeUpload({ ...shared, maxFileSize: noPlan }))
  table.post('/guarded', async (c) => c.body(null, 401), transcribeUpload(shared))
  table.post(
    '/files',
    forwardUpload({ logger: false, call: ({ file, options }) => client.files.create({ file }, options) }),
  )
  table.on(['GET', 'POST'], '/speak', speak({ ...shared, voice_id: 'rms' }))
  table.post('/pcm', speak({ ...shared, respond: 'pcm' }))
  table.post('/events', speak({ ...shared, respond: 'sse' }))
  table.get('/play/:id', playResult(shared))
  table.post('/hooks', audioWebhooks({ receiver: service.receiver }))
  server = createAdaptorServer(table) as Server
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = serverUrl(server)
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await service[Symbol.asyncDispose]()
})

test.each([...BEHAVIOUR_ROWS, GUARD_ROW])('$fact', async ({ observe, expected }) => {
  expect(await observe({ ...service, url, handled: () => service.handled })).toEqual(expected)
})

/** Sends requests as `app.request()` does in tests. */
async function requesting({ method, url: path, headers: named, body }: WholeRequest): Promise<WholeResponse> {
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const headers = Object.entries(named).map(([name, value]): [string, string] => [name, String(value)])
  const init = { method, headers, ...(hasBody ? { body: new Uint8Array(body) } : {}) }
  const response = await table.request(path, init)
  const { status, headers: sent } = response
  return { status, headers: Object.fromEntries(sent), body: new Uint8Array(await response.arrayBuffer()) }
}

const WITHOUT_SOCKET: Readonly<Record<string, () => Sender>> = {
  'app.request()': () => requesting,
  'hono/aws-lambda': () => invoking(async (event) => handle(table)(event as LambdaEvent)),
}

describe.each(Object.entries(WITHOUT_SOCKET))('without a socket, by %s', (_name, sender) => {
  test.each(ROWS_WITHOUT_SOCKET)('$fact', async ({ observe, expected }) => {
    await using bridge = await startBridge(sender())
    expect(await observe({ ...service, url: bridge.url, handled: () => service.handled })).toEqual(expected)
  })
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
