import { expect, test } from 'vitest'
import {
  audioBytes,
  comments,
  cut,
  delay,
  dropConnection,
  early,
  events,
  garbage,
  handle,
  happy,
  hold,
  json,
  redirect,
  silence,
  slowReader,
  stall,
  status,
  wrongLength,
} from '../src/index.ts'
import { RawClient } from './support/raw-client.ts'
import { call, callJson, SPEECH, start } from './support/start.ts'

const ROUTE = 'POST /v1/audio/speech'
const LETTERS = audioBytes(Buffer.from('abcdefghij'))
/** More than the system and Node buffer between two sockets. */
const LARGE = 'x'.repeat(32 * 1024 * 1024)

test('a status carries headers and an error in the form of the service', async () => {
  const upstream = await start()
  const error = { code: 'rate_limited', message: 'Slow down' }
  upstream.next(ROUTE, status(429, { headers: { 'retry-after': '3' }, error }), status(503))
  const response = await call(upstream, ROUTE, SPEECH)
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3'])
  expect(await response.json()).toEqual({ error: { ...error, type: 'invalid_request_error', param: null } })
  expect(await callJson(upstream, ROUTE, SPEECH)).toMatchObject({
    status: 503,
    body: { error: { code: 'scripted_error', type: 'api_error' } },
  })
})

test('a status may have a custom body, or none', async () => {
  const upstream = await start()
  upstream.next(ROUTE, status(502, { body: '<html>' }), status(500, { body: { detail: 1 } }), status(204))
  expect(await (await call(upstream, ROUTE, SPEECH)).text()).toBe('<html>')
  expect(await callJson(upstream, ROUTE, SPEECH)).toEqual({ status: 500, body: { detail: 1 } })
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(204)
})

test('a redirect names another address', async () => {
  const upstream = await start()
  upstream.next(ROUTE, redirect('https://elsewhere.test/v1'), redirect('/v2', 301))
  const first = await call(upstream, ROUTE, SPEECH, { redirect: 'manual' })
  expect([first.status, first.headers.get('location')]).toEqual([307, 'https://elsewhere.test/v1'])
  expect((await call(upstream, ROUTE, SPEECH, { redirect: 'manual' })).status).toBe(301)
})

test('a delay precedes the response, and ends when the client disconnects', async () => {
  const upstream = await start()
  upstream.next(ROUTE, delay(20, status(418)), delay(2 ** 30))
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(418)
  const client = new RawClient(upstream).ask(upstream)
  const request = await upstream.waitForRequest(({ ended }) => ended === undefined)
  await request.received()
  client.socket.destroy()
  expect(await request.closed()).toBe('closedByClient')
})

test('a held response is released to all waiting requests', async () => {
  const upstream = await start()
  const held = hold(status(201))
  upstream.on(ROUTE, held)
  const responses = [call(upstream, ROUTE, SPEECH), call(upstream, ROUTE, SPEECH)]
  for (const _ of responses) await (await upstream.waitForRequest()).received()
  expect(upstream.requests.map(({ ended }) => ended)).toEqual([undefined, undefined])
  held.release()
  expect((await Promise.all(responses)).map((response) => response.status)).toEqual([201, 201])
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(201)
  expect(upstream.mostAtOnce).toBe(2)
})

test('silence sends no byte', async () => {
  const upstream = await start()
  upstream.next(ROUTE, silence)
  const client = new RawClient(upstream).ask(upstream)
  const request = await upstream.waitForRequest()
  await request.received()
  client.socket.end()
  await upstream.close()
  expect(await client.all()).toMatchObject({ head: '', body: '' })
})

test('a stall sends the head and the first bytes, and keeps the connection', async () => {
  const upstream = await start()
  upstream.next(ROUTE, stall({ afterBytes: 4 }, LETTERS), stall())
  const client = new RawClient(upstream).ask(upstream)
  expect(await client.until((received) => received.endsWith('abcd'))).toMatch(/content-length: 10\r\n/i)
  const request = await upstream.waitForRequest()
  expect(request.ended).toBeUndefined()
  client.socket.destroy()
  expect(await request.closed()).toBe('closedByClient')
  const other = new RawClient(upstream).ask(upstream)
  expect(await other.until((received) => received.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\n$/s)
})

test('a stalled response continues when the test releases it', async () => {
  const upstream = await start()
  for (const afterBytes of [0, 4, 10, 20]) {
    const stalled = stall({ afterBytes }, LETTERS)
    upstream.next(ROUTE, stalled)
    const response = await call(upstream, ROUTE, SPEECH)
    expect((await upstream.waitForRequest()).ended).toBeUndefined()
    stalled.release()
    expect(await response.text()).toBe('abcdefghij')
  }
})

test('a stall counts bytes across the pieces of a body', async () => {
  const upstream = await start()
  const pieces = { body: ['abc', 'def', 'ghij'].map((text) => Buffer.from(text)) }
  const stalled = stall({ afterBytes: 5 }, pieces)
  upstream.next(ROUTE, stalled)
  const response = await call(upstream, ROUTE, SPEECH)
  const reader = response.body?.getReader()
  let text = ''
  while (text.length < 5) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  expect(text).toBe('abcde')
  stalled.release()
  while (text.length < 10) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  expect(text).toBe('abcdefghij')
})

test('an endless body ends when the client disconnects', async () => {
  const upstream = await start()
  function* endless(): Generator<Uint8Array> {
    for (;;) yield Buffer.alloc(64 * 1024)
  }
  upstream.next(ROUTE, { body: endless() })
  const client = new RawClient(upstream).ask(upstream)
  await client.until((received) => received.length > 100_000)
  client.socket.destroy()
  expect(await (await upstream.waitForRequest()).closed()).toBe('closedByClient')
})

test('a test can cut a connection at any moment', async () => {
  const upstream = await start()
  upstream.next(ROUTE, stall({ afterBytes: 3 }, LETTERS))
  const client = new RawClient(upstream).ask(upstream)
  await client.until((received) => received.endsWith('abc'))
  const request = await upstream.waitForRequest()
  request.cut()
  expect(await client.all()).toMatchObject({ body: 'abc', how: 'end' })
  expect(await request.closed()).toBe('closedByUpstream')
  const uploading = new RawClient(upstream).ask(upstream, '{"half":', 1000)
  const upload = await upstream.waitForRequest()
  await upload.received(8)
  upload.cut()
  expect(await uploading.all()).toEqual({ head: '', body: '', how: 'end' })
  await expect(upload.received()).rejects.toThrow('ended after 8 bytes')
})

test('a cut ends the connection after the first bytes', async () => {
  const upstream = await start()
  upstream.next(ROUTE, cut({ afterBytes: 4 }, LETTERS), cut({}, LETTERS))
  const { head, body, how } = await new RawClient(upstream).ask(upstream).all()
  expect([body, how]).toEqual(['abcd', 'end'])
  expect(head).toContain('content-length: 10')
  expect(upstream.requests[0]?.ended).toBe('closedByUpstream')
  expect((await new RawClient(upstream).ask(upstream).all()).body).toBe('')
})

test('a cut may reset the connection', async () => {
  const upstream = await start()
  upstream.next(ROUTE, cut({ afterBytes: 4, reset: true }, LETTERS))
  expect((await new RawClient(upstream).ask(upstream).all()).how).toBe('ECONNRESET')
})

test('a cut in an event stream counts bytes across its events', async () => {
  const upstream = await start()
  const list = [{ type: 'a' }, { type: 'b' }, { type: 'c' }]
  upstream.next(ROUTE, cut({ afterBytes: 30 }, events(list)))
  const { head, body } = await new RawClient(upstream).ask(upstream).all()
  expect(head).toContain('transfer-encoding: chunked')
  const text = body.replaceAll(/[\da-f]+\r\n((?:[^\r])*)\r\n/g, '$1')
  expect(text).toBe(
    list
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('')
      .slice(0, 30),
  )
})

test('a fault spoils the happy response by default', async () => {
  const upstream = await start({ speechSeconds: 0.5 })
  upstream.next(ROUTE, cut({ afterBytes: 8 }))
  const wav = JSON.stringify({ ...SPEECH, response_format: 'wav' })
  const { head, body } = await new RawClient(upstream).ask(upstream, wav).all()
  expect(head).toContain('content-type: audio/wav\r\n')
  expect(head).toContain('content-length: 24044\r\n')
  expect(body).toBe('RIFF\xE4\x5D\x00\x00')
})

test('garbage preserves status and type, and is identical in every run', async () => {
  const upstream = await start()
  upstream.next(ROUTE, garbage(), garbage(1), garbage(2), garbage(Buffer.from('{"half":'), json({ ok: true })))
  const bodies: Uint8Array[] = []
  for (let count = 0; count < 3; count += 1) {
    const response = await call(upstream, ROUTE, SPEECH)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    bodies.push(await response.bytes())
  }
  expect(bodies[0]).toHaveLength(1000)
  expect(bodies[0]).toEqual(bodies[1])
  expect(bodies[0]).not.toEqual(bodies[2])
  const half = await call(upstream, ROUTE, SPEECH)
  expect([half.headers.get('content-type'), await half.text()]).toEqual(['application/json', '{"half":'])
})

test.each([
  [3, '13'],
  [-3, '7'],
  [-30, '0'],
])('a length that is wrong by %i reads %s, and the whole body follows', async (delta, length) => {
  const upstream = await start()
  upstream.next(ROUTE, wrongLength(delta, LETTERS))
  const { head, body } = await new RawClient(upstream).ask(upstream).all()
  expect(head).toContain(`content-length: ${length}\r\n`)
  expect(body).toBe('abcdefghij')
})

test('a dropped connection carries no response', async () => {
  const upstream = await start()
  upstream.next(ROUTE, dropConnection(), dropConnection({ reset: true }))
  expect(await new RawClient(upstream).ask(upstream).all()).toEqual({ head: '', body: '', how: 'end' })
  expect(await new RawClient(upstream).ask(upstream).all()).toEqual({ head: '', body: '', how: 'ECONNRESET' })
  expect(upstream.requests.map(({ ended, complete }) => [ended, complete])).toEqual([
    ['closedByUpstream', true],
    ['closedByUpstream', true],
  ])
})

test('a connection may be dropped before the body arrives', async () => {
  const upstream = await start()
  upstream.next(ROUTE, dropConnection({ early: true }))
  expect((await new RawClient(upstream).ask(upstream, '{', 1000).all()).head).toBe('')
  expect(upstream.requests[0]).toMatchObject({ complete: false, ended: 'closedByUpstream' })
})

test('an early response does not wait for the body, and the body is still read', async () => {
  const upstream = await start()
  upstream.next(ROUTE, early(status(413)))
  const client = new RawClient(upstream).ask(upstream, '{', 3)
  await client.until((received) => received.startsWith('HTTP/1.1 413'))
  const request = await upstream.waitForRequest()
  expect(request.complete).toBe(false)
  client.socket.write('}\n')
  expect((await request.received()).json).toEqual({})
})

test('a slow reader reads nothing until the test allows it', async () => {
  const upstream = await start()
  const reader = slowReader({}, status(200, { body: 'read' }))
  upstream.next(ROUTE, reader)
  const response = call(upstream, ROUTE, { ...SPEECH, input: LARGE })
  const request = await upstream.waitForRequest()
  expect(request.bytes).toBe(0)
  reader.read(1_000_000)
  await request.received(1_000_000)
  // Each turn reads at least one whole chunk.
  expect(request.bytes).toBeLessThan(2_000_000)
  expect(request.complete).toBe(false)
  reader.release()
  expect(await (await response).text()).toBe('read')
  expect(request.bytes).toBeGreaterThan(LARGE.length)
})

test('a paused reader stalls the client, and notices the disconnect when it reads on', async () => {
  const upstream = await start()
  const reader = slowReader()
  upstream.next(ROUTE, reader)
  const controller = new AbortController()
  const response = call(upstream, ROUTE, { ...SPEECH, input: LARGE }, { signal: controller.signal })
  const request = await upstream.waitForRequest()
  controller.abort()
  await expect(response).rejects.toThrow('aborted')
  expect(request).toMatchObject({ bytes: 0, complete: false })
  expect(request).not.toHaveProperty('ended')
  reader.release()
  await expect(request.received()).rejects.toThrow(/^The body of POST \/v1\/audio\/speech ended after \d+ bytes$/)
  expect(await request.closed()).toBe('closedByClient')
})

test('a slow reader may read by the clock', async () => {
  const upstream = await start()
  upstream.next(ROUTE, slowReader({ bytesPerTurn: 10, turn: 1 }))
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(200)
  expect(upstream.requests[0]).toMatchObject({ json: SPEECH, ended: 'finished' })
})

test('comments keep an event stream without events alive', async () => {
  const upstream = await start()
  upstream.next(ROUTE, comments({ every: 1 }), comments({ every: 1, count: 2 }))
  const client = new RawClient(upstream).ask(upstream)
  const received = await client.until((text) => text.split(': keep-alive\n\n').length > 3)
  expect(received).toMatch(/content-type: text\/event-stream/i)
  expect(received).not.toContain('data:')
  client.socket.destroy()
  expect(await (await upstream.waitForRequest()).closed()).toBe('closedByClient')
  const two = new RawClient(upstream).ask(upstream)
  expect(await two.until((text) => text.split(': keep-alive\n\n').length === 3)).not.toContain('\r\n0\r\n')
})

test('faults nest', async () => {
  const upstream = await start()
  const held = hold(cut({ afterBytes: 2 }, status(503, { body: 'later' })))
  upstream.next(ROUTE, held, cut({ afterBytes: 2 }, dropConnection()))
  const client = new RawClient(upstream).ask(upstream)
  await upstream.waitForRequest()
  held.release()
  const { head, body } = await client.all()
  expect([head.split('\r\n')[0], body]).toEqual(['http/1.1 503 service unavailable', 'la'])
  expect((await new RawClient(upstream).ask(upstream).all()).head).toBe('')
})

test('a response may be a handler of the test', async () => {
  const upstream = await start()
  upstream.next(
    ROUTE,
    handle((response, request, message) => {
      response.writeHead(202).end(JSON.stringify([request.json, message.headers.authorization]))
    }),
  )
  expect(await callJson(upstream, ROUTE, SPEECH)).toEqual({ status: 202, body: [SPEECH, `Bearer ${upstream.apiKey}`] })
})

test('a response may depend on the request and fall back to the happy response', async () => {
  const upstream = await start()
  upstream.on(ROUTE, async (exchange) => {
    await exchange.received()
    return JSON.stringify(exchange.request.json).includes('bad') ? status(400) : happy(exchange)
  })
  expect((await call(upstream, ROUTE, { ...SPEECH, input: 'bad' })).status).toBe(400)
  expect((await call(upstream, ROUTE, SPEECH)).status).toBe(200)
})

test('a response that throws is a 500 with its message', async () => {
  const upstream = await start()
  upstream.next(ROUTE, () => {
    throw new Error('Mistake in the script')
  })
  expect(await callJson(upstream, ROUTE, SPEECH)).toMatchObject({
    status: 500,
    body: { error: { code: 'test_upstream_failed', message: 'The scripted response failed: Mistake in the script' } },
  })
})
