import { createReadStream } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConnectionError, nodeTransport, type Transport } from '../src/index.ts'
import { rejection, until } from './support/clients.ts'
import { hastyClient } from './support/hasty-client.ts'
import { closedPort, readBody, startServer, type TestServer } from './support/servers.ts'
import { pcm, SPEECH } from './support/speech.ts'
import { watchedClient } from './support/watched-client.ts'

const AUDIO = { model: 'svc-transcribe-1.0', file: pcm(100_000) } as const

/** A server that answers with these statuses in turn, and with the last one from then on. */
async function startFailing(
  ...responses: readonly (readonly [status: number, retryAfter?: string])[]
): Promise<TestServer & { bodies: Buffer[] }> {
  const bodies: Buffer[] = []
  const server = await startServer(async (request, response) => {
    bodies.push(await readBody(request))
    const [status, retryAfter] = responses[Math.min(bodies.length, responses.length) - 1] ?? [500]
    const type = status === 200 && request.url === '/v1/audio/speech' ? 'audio/mpeg' : 'application/json'
    response.writeHead(status, {
      'content-type': type,
      'x-request-id': `req-${bodies.length}`,
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    })
    response.end(status === 200 ? '{"object":"list","data":[],"text":"a"}' : '{"error":{"code":"c","message":"m"}}')
  })
  return { ...server, bodies }
}

describe('a billable call', () => {
  test('is retried after 429 and 503, with the whole body each time', async () => {
    const server = await startFailing([429], [503], [200])
    const { client, delays, timers } = hastyClient(server.url)
    expect(await client.transcriptions.create(AUDIO)).toMatchObject({ text: 'a' })
    expect(server.bodies).toHaveLength(3)
    for (const body of server.bodies) expect(body.equals(server.bodies[0] ?? Buffer.of())).toBe(true)
    expect(server.bodies[0]?.includes(Buffer.from(AUDIO.file))).toBe(true)
    expect(delays).toEqual([500, 1000])
    expect(timers()).toBe(0)
  })

  test.each([408, 500, 502, 504])('is sent once when the service answers %d', async (status) => {
    const server = await startFailing([status], [200])
    expect(await rejection(hastyClient(server.url).client.speech.create(SPEECH))).toMatchObject({ status })
    expect(server.requests).toHaveLength(1)
  })

  test('is sent once if the connection is lost in flight', async () => {
    const server = await startServer(async (request) => {
      await readBody(request)
      request.socket.destroy()
    })
    const { client } = hastyClient(server.url)
    expect(await rejection(client.speech.create(SPEECH))).toMatchObject({ name: 'ConnectionError', maybeSent: true })
    expect(server.requests).toHaveLength(1)
  })

  test('is retried if there was no connection', async () => {
    const { client, delays } = hastyClient(await closedPort())
    const error = await rejection(client.speech.create(SPEECH))
    expect(error).toMatchObject({ name: 'ConnectionError', maybeSent: false })
    expect(delays).toEqual([500, 1000])
  })

  test('is retried after any passing failure with retryAmbiguous', async () => {
    const server = await startFailing([500], [200])
    const { client } = hastyClient(server.url)
    await (await client.speech.create(SPEECH, { retryAmbiguous: true })).bytes()
    expect(server.requests).toHaveLength(2)
  })

  test('has the same idempotency key in every attempt', async () => {
    const server = await startFailing([503], [200])
    const { client } = hastyClient(server.url)
    await (await client.speech.create(SPEECH, { idempotencyKey: 'order-17' })).bytes()
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17'])
  })

  test.each(['', 'a b', 'ä', 'a\nb', 'x'.repeat(256)])('is not sent with the idempotency key %j', async (key) => {
    const server = await startFailing([200])
    const { client } = hastyClient(server.url)
    expect(await rejection(client.speech.create(SPEECH, { idempotencyKey: key }))).toMatchObject({
      name: 'ConfigurationError',
    })
    expect(server.requests).toHaveLength(0)
  })
})

test.each([408, 500, 502, 503, 504])('a call that only reads is retried after %d', async (status) => {
  const server = await startFailing([status], [200])
  expect(await hastyClient(server.url).client.models.list()).toMatchObject({ object: 'list' })
  expect(server.requests).toHaveLength(2)
})

test('a call that only reads is retried after a lost connection', async () => {
  let count = 0
  const server = await startServer((request, response) => {
    count += 1
    if (count === 1) request.socket.destroy()
    else response.end('{"object":"list","data":[]}')
  })
  expect(await hastyClient(server.url).client.models.list()).toMatchObject({ object: 'list' })
})

test('a body that can be read only once throws NotReplayableError with the first failure', async () => {
  const server = await startFailing([503], [200])
  const { client } = hastyClient(server.url)
  const stream = createReadStream(new URL(import.meta.url))
  const error = await rejection(client.transcriptions.create({ model: 'svc-transcribe-1.0', file: () => stream }))
  expect(error).toMatchObject({ name: 'NotReplayableError', cause: { name: 'ApiError', status: 503 } })
  expect(server.requests).toHaveLength(1)
})

// rules: limits.rate-open
test('a read bare stream fails without a delay', async () => {
  const server = await startFailing([429, '900'], [200])
  const { client, delays } = hastyClient(server.url)
  const file = createReadStream(new URL(import.meta.url))
  const error = await rejection(client.transcriptions.create({ model: 'svc-transcribe-1.0', file }))
  expect(error).toMatchObject({ name: 'NotReplayableError', cause: { status: 429, retryAfter: 900 } })
  expect(delays).toEqual([])
})

test('an unread bare stream is sent by a retry', async () => {
  const server = await startFailing([200])
  let tries = 0
  const inner = nodeTransport()
  const send: Transport['send'] = async (request) => {
    tries += 1
    if (tries === 1) throw new ConnectionError('not yet', { maybeSent: false })
    return inner.send(request)
  }
  const { client } = hastyClient(server.url, { transport: { send, close: () => inner.close?.() ?? Promise.resolve() } })
  const file = createReadStream(new URL(import.meta.url))
  expect(await client.transcriptions.create({ model: 'svc-transcribe-1.0', file })).toMatchObject({ text: 'a' })
  expect(server.requests).toHaveLength(1)
})

describe('the service’s Retry-After', () => {
  test('is honoured, however long', async () => {
    const server = await startFailing([429, '900'], [200])
    const { client, delays } = hastyClient(server.url, { random: () => 0 })
    await client.models.list()
    expect(delays).toEqual([900_000])
  })

  test('beyond the deadline fails at once with the error of the service', async () => {
    const server = await startFailing([429, '7200'], [200])
    const { client, delays } = hastyClient(server.url, { timeout: 1_000_000 })
    expect(await rejection(client.models.list())).toMatchObject({ status: 429, retryAfter: 7200, requestId: 'req-1' })
    expect(delays).toEqual([])
    expect(server.requests).toHaveLength(1)
  })
})

test('maxRetries of the client or of the call limits the retries', async () => {
  const server = await startFailing([503])
  const { client } = hastyClient(server.url, { maxRetries: 1 })
  expect(await rejection(client.models.list())).toMatchObject({ status: 503, requestId: 'req-2' })
  expect(await rejection(client.models.list({ maxRetries: 3 }))).toMatchObject({ requestId: 'req-6' })
  expect(await rejection(client.models.list({ maxRetries: -1 }))).toMatchObject({ name: 'ConfigurationError' })
  expect(server.requests).toHaveLength(6)
})

test('an abort between two attempts ends the call and removes its timer', async () => {
  const server = await startFailing([503, '60'])
  const { client, signal, abort, timers, listeners, deadlines } = watchedClient(server.url, 1_000_000)
  const failed = rejection(client.models.list({ signal, maxRetries: 2 }))
  await until(() => deadlines.length === 2)
  abort('enough')
  expect(await failed).toBe('enough')
  expect({ timers: timers(), listeners: listeners() }).toEqual({ timers: 0, listeners: 0 })
  expect(server.requests).toHaveLength(1)
})

test('the deadline passes between two attempts too', async () => {
  const server = await startFailing([503, '60'])
  const { client, timers, expire, deadlines } = watchedClient(server.url, 1_000_000)
  const failed = rejection(client.models.list({ maxRetries: 2 }))
  await until(() => deadlines.length === 2)
  expire()
  expect(await failed).toMatchObject({ name: 'TimeoutError', phase: 'total' })
  expect(timers()).toBe(0)
})
