import multipart from '@fastify/multipart'
import type { AudioClient } from '@svc-audio/core'
import {
  BEHAVIOUR_ROWS,
  type BehaviourService,
  GUARD_ROW,
  injecting,
  ROWS_WITHOUT_SOCKET,
  startBehaviourService,
  startBridge,
  termsOf,
} from '@svc-audio/kit/behaviour'
import { uploadForm, wavFile } from '@svc-audio/testing'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forwardAudio, audio, audioWebhooks, playResult, speak, transcribeUpload, forwardUpload } from '../src/index.ts'

let service: BehaviourService
let client: AudioClient
let url = ''
let app: FastifyInstance

const noPlan = (): number => {
  throw Object.assign(new Error('no plan'), { statusCode: 402 })
}

beforeEach(async () => {
  service = await startBehaviourService()
  client = service.client
  app = Fastify()
  await app.register(audio)
  const shared = { client }
  app.post('/transcribe', transcribeUpload({ ...shared, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }))
  app.post(
    '/answer',
    transcribeUpload({
      ...shared,
      body: termsOf,
      answer: ({ transcription: { text }, upload }) => ({ text, upload }),
    }),
  )
  app.post('/quick', transcribeUpload({ ...shared, timeout: 1000 }))
  app.post('/live', transcribeUpload({ ...shared, respond: 'sse' }))
  app.post('/task', transcribeUpload({ ...shared, respond: 'task' }))
  app.post('/quota', transcribeUpload({ ...shared, maxFileSize: noPlan }))
  const guard = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => reply.code(401).send()
  app.post('/guarded', { onRequest: guard }, transcribeUpload(shared))
  app.post('/files', forwardUpload({ call: ({ file, options }) => client.files.create({ file }, options) }))
  app.route({ method: ['GET', 'POST'], url: '/speak', handler: speak({ ...shared, voice_id: 'rms' }) })
  app.post('/pcm', speak({ ...shared, respond: 'pcm' }))
  app.post('/events', speak({ ...shared, respond: 'sse' }))
  app.get('/play/:id', playResult(shared))
  app.post('/hooks', audioWebhooks({ receiver: service.receiver }))
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  app.server.closeAllConnections()
  await app.close()
  await service[Symbol.asyncDispose]()
})

test.each([...BEHAVIOUR_ROWS, GUARD_ROW])('$fact', async ({ observe, expected }) => {
  expect(await observe({ ...service, url, handled: () => service.handled })).toEqual(expected)
})

describe('without a socket, by inject()', () => {
  test.each(ROWS_WITHOUT_SOCKET)('$fact', async ({ observe, expected }) => {
    await using bridge = await startBridge(injecting((options) => app.inject(options)))
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

test('the plugin leaves the parser of @fastify/multipart alone', async () => {
  await using both = Fastify()
  await both.register(multipart)
  await both.register(audio)
  both.post('/', transcribeUpload({ client }))
  const address = await both.listen({ port: 0, host: '127.0.0.1' })
  expect((await fetch(address, { method: 'POST', body: uploadForm(wavFile(2000)) })).status).toBe(200)
  both.server.closeAllConnections()
})

test('headers that a plugin sets, such as those of CORS, are sent with audio', async () => {
  await using other = Fastify()
  other.addHook('onRequest', async (_request, reply) => void reply.header('access-control-allow-origin', '*'))
  other.get('/', speak({ client, voice_id: 'rms' }))
  const address = await other.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${address}?text=Hello`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  await response.arrayBuffer()
  other.server.closeAllConnections()
})
