import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepConnection } from './support/connections.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

/** More than any endpoint accepts as JSON, and more than a connection buffers without a reader. */
const LONG = 'x'.repeat(3_000_000)
/** As much as is read after such a response. */
const SHORT = 'x'.repeat(64 * 1024)
const FORM = 'multipart/form-data; boundary=b'
const JSON_TYPE = 'application/json'
const UNKNOWN = { authorization: 'Bearer unknown' }
const of = (length: number) => ({ 'content-length': `${length}` })
const LIMITED_KEY = 'key-of-a-tenant-with-a-limit'

let service: TestService
let limited: TestService
beforeAll(async () => {
  service = await startTestService({ maxUploadBytes: 1000 })
  limited = await startTestService({ requestsPerMinute: 1, apiKeys: new Map([[LIMITED_KEY, 'limited']]) })
})
afterAll(async () => {
  await service.close()
  await limited.close()
})

function head(request: string, headers: Readonly<Record<string, string>>): string {
  const fields = Object.entries({ host: 'x', ...headers }).map((pair) => pair.join(': '))
  return `${request} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`
}

/** A request with a body far longer than its response needs. */
const long = (request: string, type: string, headers: Readonly<Record<string, string>> = {}): string =>
  head(request, {
    authorization: `Bearer ${KEY}`,
    'content-type': type,
    'content-length': `${LONG.length}`,
    ...headers,
  })

const LOOK = head('GET /v1/models', { authorization: `Bearer ${KEY}` })

/** Before the check of a key. */
const STRANGERS: readonly (readonly [string, (length: number) => string, number])[] = [
  ['no key', (length) => long('POST /v1/files', FORM, { authorization: '', ...of(length) }), 401],
  ['an unknown key', (length) => long('POST /v1/audio/speech', JSON_TYPE, { ...UNKNOWN, ...of(length) }), 401],
  ['an unknown path', (length) => long('POST /v1/nothing', FORM, of(length)), 404],
  ['another method', (length) => long('POST /v1/models', FORM, of(length)), 405],
  ['a path that cannot be decoded', (length) => long('POST /v1/%', FORM, of(length)), 400],
  ['an unsupported expectation', (length) => long('POST /v1/files', FORM, { expect: 'miracles', ...of(length) }), 417],
]

describe('a request answered before its key is checked', () => {
  test.each(STRANGERS)('leaves its connection usable, if its body is short: %s', async (_what, request, status) => {
    const { socket, send, next } = keepConnection(service.url)
    send(request(SHORT.length))
    expect(await next()).toBe(status)
    send(SHORT + LOOK)
    expect(await next()).toBe(200)
    socket.destroy()
  })

  test.each(STRANGERS)('has a response that closes the connection, if its body is long: %s', async (...given) => {
    const [, request, status] = given
    const { socket, send, next } = keepConnection(service.url)
    let received = ''
    socket.on('data', (text) => (received += String(text)))
    send(request(LONG.length) + LONG)
    expect(await next()).toBe(status)
    expect(received).toMatch(/^connection: close\r$/im)
    expect(await next()).toBeUndefined()
  })

  test('its connection serves no other request that the service would then cut', async () => {
    // More than is read, and less than a connection buffers: the client sends it all before it reads its response.
    const { send, next } = keepConnection(service.url)
    send(long('POST /v1/files', FORM, { authorization: '', 'content-length': '150000' }) + 'x'.repeat(150_000) + LOOK)
    expect(await next()).toBe(401)
    expect(await next()).toBeUndefined()
  })
})

describe('a request answered without reading its body leaves its connection usable', () => {
  test.each([
    ['JSON where a form is wanted', long('POST /v1/audio/voices', JSON_TYPE), 415],
    ['a type that nothing takes', long('POST /v1/audio/speech', 'text/plain'), 415],
    ['a form where JSON is wanted', long('POST /v1/audio/speech', FORM), 415],
    ['a form that announces too much', long('POST /v1/files', FORM), 413],
    ['JSON that announces too much', long('POST /v1/audio/speech', JSON_TYPE), 413],
    ['an unneeded body', long('GET /v1/models', JSON_TYPE), 200],
  ])('%s', async (_what, request, status) => {
    const all = keepConnection(service.url)
    all.send(request + LONG)
    expect(await all.next()).toBe(status)
    all.send(LOOK)
    expect(await all.next()).toBe(200)
    all.socket.destroy()
    const answeredFirst = keepConnection(service.url)
    answeredFirst.send(request)
    expect(await answeredFirst.next()).toBe(status)
    answeredFirst.send(LONG + LOOK)
    expect(await answeredFirst.next()).toBe(200)
    answeredFirst.socket.destroy()
  })

  test('JSON that exceeds the limit while it is read', async () => {
    const { socket, send, next } = keepConnection(service.url)
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' }
    const chunk = `${LONG.length.toString(16)}\r\n${LONG}\r\n`
    send(head('POST /v1/audio/speech', headers) + chunk)
    expect(await next()).toBe(413)
    send(`${chunk}0\r\n\r\n${LOOK}`)
    expect(await next()).toBe(200)
    socket.destroy()
  })

  test('invalid JSON, unless its client asks to close the connection', async () => {
    const { socket, send, next } = keepConnection(service.url)
    let received = ''
    socket.on('data', (text) => (received += String(text)))
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': JSON_TYPE, 'content-length': '1' }
    send(`${head('POST /v1/audio/speech', headers)}{`)
    expect(await next()).toBe(400)
    expect(received).toMatch(/^connection: keep-alive\r$/im)
    send(`${head('POST /v1/audio/speech', { ...headers, connection: 'close' })}{`)
    expect(await next()).toBe(400)
    expect(received).toMatch(/^connection: close\r$/im)
    expect(await next()).toBeUndefined()
  })

  test('a key over its limit', async () => {
    const { socket, send, next } = keepConnection(limited.url)
    const authorization = `Bearer ${LIMITED_KEY}`
    send(head('GET /v1/models', { authorization }))
    expect(await next()).toBe(200)
    send(long('POST /v1/files', FORM, { authorization }) + LONG)
    expect(await next()).toBe(429)
    send(head('GET /healthz', {}))
    expect(await next()).toBe(200)
    socket.destroy()
  })

  test('a client that sends Expect: 100-continue without a key is refused before it is asked for the body', async () => {
    const { socket, send, next } = keepConnection(service.url)
    send(long('POST /v1/files', FORM, { authorization: '', expect: '100-continue' }))
    expect(await next()).toBe(401)
    socket.destroy()
  })
})

test('a stop does not wait for the rest of a refused body', async () => {
  const own = await startTestService()
  const { socket, send, next } = keepConnection(own.url)
  send(long('POST /v1/files', FORM, { authorization: '' }))
  expect(await next()).toBe(401)
  await own.close()
  expect(await next()).toBeUndefined()
  socket.destroy()
})
