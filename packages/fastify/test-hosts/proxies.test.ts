import { AudioClient } from '@svc-audio/core'
import { describeRefusals, type RefusingApp, SMALL_BYTES } from '@svc-audio/kit/hosts/refusal-suite'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import Fastify, { type FastifyError, type FastifyInstance, type onRequestAsyncHookHandler } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { afterAll, beforeAll } from 'vitest'
import { audio, failureAnswer, transcribeUpload } from '../src/index.ts'

let upstream: TestUpstream
let client: AudioClient
beforeAll(async () => {
  upstream = await createTestUpstream()
  client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
})
afterAll(async () => {
  await client.close()
  await upstream.close()
})

const noPlan = (): number => {
  throw Object.assign(new Error('no plan'), { statusCode: 402 })
}

const guard: onRequestAsyncHookHandler = async (_request, reply) => reply.code(401).send({})

const routes = fastifyPlugin(async (scope: FastifyInstance): Promise<void> => {
  scope.setErrorHandler<FastifyError>((error, _request, reply) =>
    reply.code(failureAnswer(error)?.status ?? error.statusCode ?? 500).send({ error: { code: error.code } }),
  )
  await scope.register(audio)
  scope.post('/', transcribeUpload({ client }))
  scope.post('/video', transcribeUpload({ client, accept: ['video/*'] }))
  scope.post('/small', transcribeUpload({ client, maxFileSize: SMALL_BYTES }))
  scope.post('/quota', transcribeUpload({ client, maxFileSize: noPlan }))
  scope.post('/guarded', { onRequest: guard }, transcribeUpload({ client }))
})

async function listen(app: Pick<FastifyInstance, 'listen' | 'close'>): Promise<RefusingApp> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url, close: async () => app.close() }
}

describeRefusals({
  framework: 'Fastify',
  start: async () => {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(routes)
    return listen(app)
  },
  startHttp2: async (https) => {
    const app = Fastify({ http2: true, https })
    await app.register(routes)
    return listen(app)
  },
})
