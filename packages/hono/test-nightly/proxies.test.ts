import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { AudioClient } from '@svc-audio/core'
import { describeRefusals, type RefusingApp, SMALL_BYTES } from '@svc-audio/kit/hosts/refusal-suite'
import { createTestUpstream, serverUrl, type TestUpstream } from '@svc-audio/testing'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { afterAll, beforeAll } from 'vitest'
import { discardUnread, transcribeUpload } from '../src/index.ts'

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
  throw new HTTPException(402)
}

function newApp(): Hono {
  const app = new Hono()
  app.use(discardUnread())
  app.post('/guarded', (c) => c.json({}, 401))
  app.post('/', transcribeUpload({ client }))
  app.post('/video', transcribeUpload({ client, accept: ['video/*'] }))
  app.post('/small', transcribeUpload({ client, maxFileSize: SMALL_BYTES }))
  app.post('/quota', transcribeUpload({ client, maxFileSize: noPlan }))
  return app
}

async function listen(server: ServerType, protocol: 'http' | 'https'): Promise<RefusingApp> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: serverUrl(server, protocol),
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections()
      server.close()
    },
  }
}

describeRefusals({
  framework: 'Hono',
  start: async () => listen(createAdaptorServer(newApp()), 'http'),
  startHttp2: async (serverOptions) =>
    listen(createAdaptorServer({ fetch: newApp().fetch, createServer: createSecureServer, serverOptions }), 'https'),
})
