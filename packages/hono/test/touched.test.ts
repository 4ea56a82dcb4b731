import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { type BehaviourService, startBehaviourService } from '@svc-audio/kit/behaviour'
import { early, hold, serverUrl, status, uploadForm, wavFile } from '@svc-audio/testing'
import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { timeout } from 'hono/timeout'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { speak, transcribeUpload } from '../src/index.ts'

/** A deadline that ends only when the test ends it, in milliseconds. */
const HOUR_MS = 3_600_000

let service: BehaviourService
let server: Server | undefined
beforeEach(async () => {
  service = await startBehaviourService()
})
afterEach(async () => {
  vi.restoreAllMocks()
  server?.closeAllConnections()
  server?.close()
  await service[Symbol.asyncDispose]()
})

async function start(configure: (app: Hono) => void): Promise<string> {
  const app = new Hono()
  configure(app)
  server = createAdaptorServer(app) as Server
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return serverUrl(server)
}

/** What stands in front of an upload in apps. */
const IN_FRONT = {
  nothing: async (_c, next) => next(),
  'bodyLimit()': bodyLimit({ maxSize: 500_000_000 }),
  'a look at the body': (c, next) => {
    void c.req.raw.body
    return next()
  },
  'a look at the body, and a pause': async (c, next) => {
    void c.req.raw.body
    await new Promise((resolve) => void setTimeout(resolve, 20))
    await next()
  },
  'a look at the signal': async (c, next) => {
    void c.req.raw.signal
    await next()
  },
  'clone()': async (c, next) => {
    void c.req.raw.clone()
    await next()
  },
  'a new Request of the old one': async (c, next) => {
    c.req.raw = new Request(c.req.raw, { headers: { ...Object.fromEntries(c.req.raw.headers), 'x-request-id': '1' } })
    await next()
  },
  'a Request with the same body': async (c, next) => {
    const { url, method, headers, body } = c.req.raw
    c.req.raw = new Request(url, { method, headers, body, duplex: 'half' })
    await next()
  },
  'a Request with a transformed body': async (c, next) => {
    const body = c.req.raw.body?.pipeThrough(new TransformStream()) ?? null
    c.req.raw = new Request(c.req.raw, { method: 'POST', body, duplex: 'half' })
    await next()
  },
} as const satisfies Record<string, MiddlewareHandler>

type InFront = keyof typeof IN_FRONT

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys is typed string[]
const NAMES = Object.keys(IN_FRONT) as InFront[]

/** The file of the last call, whole or not. */
function isReceived(content: Uint8Array): boolean {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return service.upstream.requests.at(-1)?.form?.files[0]?.sha256 === sha256
}

const SIZES = [
  { size: 100_000, isAnnounced: true },
  { size: 100_000, isAnnounced: false },
  { size: 300_000, isAnnounced: true },
  { size: 2_000_000, isAnnounced: true },
  { size: 2_000_000, isAnnounced: false },
  { size: 20_000_000, isAnnounced: false },
]
const cases = NAMES.flatMap((name) => SIZES.map(({ size, isAnnounced }) => ({ name, size, isAnnounced })))

test.each(cases)(
  'behind $name, an upload of $size bytes reaches the service whole, its length announced: $isAnnounced',
  async ({ name, size, isAnnounced }) => {
    const url = await start((app) => {
      app.post('/', IN_FRONT[name], transcribeUpload({ client: service.client }))
    })
    const content = wavFile(size)
    const request = new Request(url, { method: 'POST', body: uploadForm(content) })
    const body = isAnnounced ? await request.arrayBuffer() : request.body
    const { headers } = request
    const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' })
    expect([response.status, await response.json(), isReceived(content)]).toEqual([200, { text: 'hello' }, true])
  },
)

describe.each(NAMES)('behind %s', (name) => {
  test('a refused upload is answered, and an early failure of the service too, without an open call', async () => {
    const { client, upstream } = service
    const url = await start((app) => {
      app.use(IN_FRONT[name])
      app.post('/small', transcribeUpload({ client, maxFileSize: 100_000, logger: false }))
      app.post('/', transcribeUpload({ client, logger: false }))
    })
    const post = async (path: string, field = 'file'): Promise<number> => {
      const body = uploadForm(wavFile(2_000_000), { field })
      return (await fetch(url + path, { method: 'POST', body })).status
    }
    expect([await post('/small'), await post('/', 'photo')]).toEqual([413, 400])
    expect(upstream.requests).toHaveLength(0)
    upstream.on('*', early(status(401)))
    expect(await post('/')).toBe(502)
    expect(await upstream.requests[0]?.closed()).toBe('finished')
  })
})

describe.each([
  ['an upload', '/', { method: 'POST', body: uploadForm(wavFile(2000)) }],
  ['speech', '/speak?text=Hello', {}],
])("Hono's timeout() aborts the call of %s", (_what, path, init: RequestInit) => {
  test('when its response is sent', async () => {
    const { client, upstream } = service
    upstream.on('*', hold())
    const url = await start((app) => {
      app.use(timeout(HOUR_MS))
      app.post('/', transcribeUpload({ client }))
      app.get('/speak', speak({ client, voice_id: 'rms' }))
    })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const response = fetch(url + path, init)
    // The time is over when the service has the call, however busy the machine is.
    await upstream.waitForRequest()
    timers.mock.calls.find(([, ms]) => ms === HOUR_MS)?.[0]()
    expect((await response).status).toBe(504)
    expect(await upstream.requests[0]?.closed()).toBe('closedByClient')
  })
})
