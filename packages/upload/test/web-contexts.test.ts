import { createServer } from 'node:http'
import { AudioClient, ConfigurationError } from '@svc-audio/core'
import { createTestUpstream, serverUrl, stall, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { sendResponse } from '../src/adapter.ts'
import { speak, transcribeUpload, type WebContext, type WebHandler } from '../src/index.ts'

let upstream: TestUpstream
let client: AudioClient
beforeEach(async () => {
  upstream = await createTestUpstream({ transcript: 'hello', speechSeconds: 0.2 })
  client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, maxRetries: 0 })
})
afterEach(async () => {
  await client.close()
  await upstream.close()
})

const AUDIO = wavFile(300_000)
const form = (): RequestInit => ({ method: 'POST', body: uploadForm(AUDIO) })

/** Serves a handler as h3 1 does: its event has Node's request and response. */
async function serve(handler: WebHandler<WebContext>, before: (req: object) => void = () => {}): Promise<string> {
  const server = createServer((req, res) => {
    before(req)
    const event = { node: { req, res }, req, path: req.url }
    void handler(event).then((response) => sendResponse(res, response, new AbortController().signal))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return serverUrl(server)
}

describe("an event with Node's request, as of h3 1", () => {
  test('is an upload, and refused with its status', async () => {
    const url = await serve(transcribeUpload({ client, maxFileSize: 400_000, logger: false }))
    expect(await (await fetch(url, form())).json()).toEqual({ text: 'hello' })
    const refused = await fetch(url, { method: 'POST', body: uploadForm(wavFile(5_000_000)) })
    expect([refused.status, await refused.json()]).toMatchObject([413, { error: { code: 'file_too_large' } }])
  })

  test('has its text in the query or in a JSON body', async () => {
    const url = await serve(speak({ client, voice_id: 'rms' }))
    const headers = { 'content-type': 'application/json' }
    for (const response of [
      await fetch(`${url}?text=Hello`),
      await fetch(url, { method: 'POST', headers, body: '{"text":"Hello"}' }),
    ]) {
      expect([response.status, (await response.bytes()).byteLength > 1000]).toEqual([200, true])
    }
    expect(upstream.requests.map(({ json }) => json)).toMatchObject([{ input: 'Hello' }, { input: 'Hello' }])
  })

  test('aborts the call when the client disconnects', async () => {
    upstream.on('*', stall())
    const url = await serve(speak({ client, voice_id: 'rms', logger: false }))
    const abort = new AbortController()
    const call = fetch(`${url}?text=Hello`, { signal: abort.signal }).catch(() => undefined)
    const request = await upstream.waitForRequest()
    abort.abort()
    await call
    expect(await request.closed()).toBe('closedByClient')
  })

  test('may have its body in memory, as in hosts for functions', async () => {
    const body = new Request('http://app.example', form())
    const bytes = await body.bytes()
    const url = await serve(transcribeUpload({ client }), (req) => void Object.assign(req, { body: bytes }))
    const headers = { 'content-type': body.headers.get('content-type') ?? '' }
    expect(await (await fetch(url, { method: 'POST', headers, body: 'x' })).json()).toEqual({ text: 'hello' })
  })
})

test('an event with a Web request as `req`, as of h3 2, is an upload', async () => {
  const handle = transcribeUpload({ client })
  const event = { req: new Request('http://app.example/', form()), url: new URL('http://app.example/') }
  expect(await (await handle(event)).json()).toEqual({ text: 'hello' })
})

test.each([[undefined], [{}], [{ req: { headers: {} } }], ['a path']])(
  '%j in the place of a request is an error that says what to pass',
  async (context) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mistake of an app in JavaScript
    const call = transcribeUpload({ client })(context as never)
    await expect(call).rejects.toThrow(ConfigurationError)
    await expect(call).rejects.toThrow('pass the request of your framework')
  },
)
