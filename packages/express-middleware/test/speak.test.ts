import type { CheckedSpeakOptions } from '@svc-audio/upload/adapter'
import express, { type Request } from 'express'
import {
  audioBytes,
  createTestUpstream,
  hold,
  type ScriptedResponse,
  stall,
  type TestUpstream,
} from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { speak } from '../src/index.ts'
import { KEY, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

const speaks = audioBytes(Buffer.from('RIFFspeech'))

/** Speech without a content-length. */
const unsized = (...pieces: readonly string[]): ScriptedResponse => ({
  headers: { 'content-type': 'audio/wav' },
  body: pieces.map((piece) => Buffer.from(piece)),
})

async function start(
  response: ScriptedResponse = speaks,
  options: Partial<CheckedSpeakOptions<Request>> = {},
): Promise<{ app: TestApp; upstream: TestUpstream; say: (text?: unknown, init?: RequestInit) => Promise<Response> }> {
  upstream = (await createTestUpstream({ apiKey: KEY, transcript: 'hello' })).on('*', response)
  const configure: Parameters<typeof startApp>[1] = (routes, client) => {
    routes.use(express.json())
    routes.all('/speak', speak({ client, voice_id: 'rms', ...options } as never))
  }
  const running = await startApp(upstream.url, configure)
  app = running
  const headers = { 'content-type': 'application/json' }
  return {
    app: running,
    upstream,
    say: (text = 'Hello', init = {}) =>
      fetch(`${running.url}/speak`, { method: 'POST', headers, body: JSON.stringify({ text }), ...init }),
  }
}

test('the speech has its media type, and headers against rendering as a page', async () => {
  const { say, upstream: service } = await start(speaks, { response_format: 'wav', aigc_metadata: { enabled: true } })
  const response = await say('Guten Tag')
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'audio/wav',
    'content-length': '10',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
    'cache-control': 'no-store, no-transform',
  })
  expect(await response.text()).toBe('RIFFspeech')
  expect(service.requests[0]?.json).toEqual({
    model: 'svc-tts-1.5-flash',
    input: 'Guten Tag',
    voice_id: 'rms',
    response_format: 'wav',
    aigc_metadata: { enabled: true },
  })
  expect(service.requests).toMatchObject([{ authorized: true }])
})

test("the text comes from the body, else the query, or from the app's function", async () => {
  const { app: first, upstream: service } = await start()
  await fetch(`${first.url}/speak?text=from%20query`).then((response) => response.text())
  await first.close()
  await service.close()
  const { app: second, upstream: other } = await start(speaks, {
    text: (request) => `Hello ${request.get('x-name')}`,
    body: (request) => ({ voice_id: request.query['voice'] === 'low' ? 'awb' : 'slt', model: 'svc-tts-1.0-pro' }),
  })
  await fetch(`${second.url}/speak?voice=low`, { headers: { 'x-name': 'Ada' } }).then((response) => response.text())
  expect([...service.requests, ...other.requests].map((request) => request.json)).toEqual([
    { model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'from query' },
    { model: 'svc-tts-1.0-pro', voice_id: 'awb', input: 'Hello Ada' },
  ])
})

test('a missing or non-string text is 400 without a call to the service', async () => {
  const { say, app: running, upstream: service } = await start()
  for (const text of ['', '   ', null, 5, ['a'], { a: 1 }]) {
    const response = await say(text)
    expect(response.status).toBe(400)
    const error = {
      code: 'missing_text',
      message: 'Send `text`, a non-empty string, in a JSON body or in the query',
    }
    expect(await response.json()).toEqual({ error })
  }
  expect((await fetch(`${running.url}/speak?text=a&text=b`)).status).toBe(400)
  expect(service.requests).toEqual([])
})

test('a slow browser slows the service down', async () => {
  let taken = 0
  const pieces = function* make(): Generator<Buffer> {
    for (; taken < 256; taken += 1) yield Buffer.alloc(64 * 1024)
  }
  const { say, upstream: service } = await start({ headers: { 'content-type': 'audio/wav' }, body: pieces() })
  const response = await say()
  const request = await service.waitForRequest()
  // While bytes still arrive, the service is not yet paused.
  for (let before = -1; before !== taken;) {
    before = taken
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
  }
  expect(taken).toBeLessThan(256)
  expect((await response.arrayBuffer()).byteLength).toBe(256 * 64 * 1024)
  expect(await request.closed()).toBe('finished')
})

describe('a service that fails', () => {
  test('a cut after audio cuts the connection to the browser, and is reported with its cause', async () => {
    const { say, app: running, upstream: service } = await start(stall({ afterBytes: 4 }, unsized('RIFF')))
    const response = await say()
    expect(response.status).toBe(200)
    const reading = response.text()
    ;(await service.waitForRequest()).cut()
    await expect(reading).rejects.toBeInstanceOf(TypeError)
    expect(await running.errors(1)).toMatchObject([{ status: 502, error: { cause: { name: 'StreamTruncatedError' } } }])
  })

  test.each(['text/html', 'image/svg+xml', 'text/javascript', 'audio/wav, text/html'])(
    '%s instead of audio is a 502, and the page stays inside',
    async (type) => {
      const { say } = await start({ headers: { 'content-type': type }, body: '<script>alert(1)</script>' })
      const response = await say()
      expect(response.status).toBe(502)
      expect(await response.text()).not.toContain('script')
    },
  )
})

describe('a browser that disconnects', () => {
  test('before any audio aborts the call to the service', async () => {
    const { say, app: running, upstream: service } = await start(hold())
    const disconnecting = new AbortController()
    const response = say('Hello', { signal: disconnecting.signal }).catch(() => 'disconnected')
    const request = await service.waitForRequest()
    await request.received(1)
    disconnecting.abort()
    expect(await request.closed()).toBe('closedByClient')
    expect(await response).toBe('disconnected')
    expect(await running.errors(1)).toMatchObject([{ status: 499, code: 'client_disconnected' }])
  })

  test('without taking any audio aborts the call to the service', async () => {
    const endless = function* make(): Generator<Buffer> {
      for (;;) yield Buffer.alloc(64 * 1024)
    }
    const speech = { headers: { 'content-type': 'audio/wav' }, body: endless() }
    const { say, app: running, upstream: service } = await start(speech)
    const disconnecting = new AbortController()
    await say('Hello', { signal: disconnecting.signal })
    const request = await service.waitForRequest()
    disconnecting.abort()
    expect(await request.closed()).toBe('closedByClient')
    expect(await running.errors(1)).toMatchObject([{ status: 499, code: 'client_disconnected' }])
  })

  test('in mid-audio aborts the call to the service', async () => {
    const { say, app: running, upstream: service } = await start(stall({ afterBytes: 4 }, unsized('RIFF')))
    const disconnecting = new AbortController()
    await say('Hello', { signal: disconnecting.signal })
    const request = await service.waitForRequest()
    disconnecting.abort()
    expect(await request.closed()).toBe('closedByClient')
    expect(await running.errors(1)).toMatchObject([{ status: 499, code: 'client_disconnected' }])
  })
})
