import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Sends bytes, and returns all bytes of the answer until the service closes the connection. */
async function exchange(bytes: string): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body }
}

const json = (headers: Record<string, string>): string =>
  ['POST /v1/audio/speech HTTP/1.1', 'host: x', ...Object.entries(headers).map((pair) => pair.join(': '))].join('\r\n')

describe('bytes that are no HTTP request', () => {
  test.each([
    ['nonsense', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['a header without a name', 'GET / HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n', 400, 'invalid_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'invalid_request',
    ],
    ['20 KB of headers', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('%s get the one error body and a request id', async (_, bytes, status, code) => {
    const { head, body } = await exchange(bytes)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/^x-request-id: [\da-f-]{36}$/m)
    expect(JSON.parse(body)).toMatchObject({ error: { code, param: null, type: 'invalid_request_error' } })
  })
})

describe('Expect: 100-continue', () => {
  test.each([
    ['no key', {}, 401],
    ['an unknown key', { authorization: 'Bearer nobody' }, 401],
    ['a body that is too large', { authorization: `Bearer ${KEY}`, 'content-length': '99999999' }, 413],
  ])('%s is refused before the body is asked for', async (_, more, status) => {
    const headers = { 'content-type': 'application/json', 'content-length': '10', ...more, expect: '100-continue' }
    const { head } = await exchange(`${json(headers)}\r\n\r\n`)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/^connection: close$/im)
  })

  test('an upload that is too large is refused before the body is asked for', async () => {
    const headers = {
      authorization: `Bearer ${KEY}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(600 * 1024 * 1024),
      expect: '100-continue',
    }
    const { head } = await exchange(`${json(headers).replace('/v1/audio/speech', '/v1/files')}\r\n\r\n`)
    expect(head).toMatch(/^HTTP\/1.1 413 /)
  })

  test('an accepted request is asked for its body, and the connection stays open', async () => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const body = JSON.stringify({ model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', delivery_method: 'url' })
    const headers = {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      expect: '100-continue',
    }
    socket.write(`${json(headers)}\r\n\r\n`)
    const [asked] = (await once(socket, 'data')) as [Buffer]
    expect(String(asked)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
    expect(String(answer)).not.toMatch(/^connection: close$/im)
    await sleep(20)
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(String(((await once(socket, 'data')) as [Buffer])[0])).toMatch(/^HTTP\/1.1 200 /)
    socket.destroy()
  })
})

describe('a request that announces no body', () => {
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  const typed = { 'content-type': 'application/json' }

  test.each([
    ['JSON', 'POST /v1/audio/speech', typed, 400, 'invalid_json'],
    ['a form', 'POST /v1/files', form, 400, 'missing_required_field'],
    ['a form for a voice', 'POST /v1/audio/voices', form, 400, 'missing_required_field'],
    ['JSON for a deletion', 'DELETE /v1/files/file_1', typed, 400, 'invalid_json'],
    ['JSON for an unknown path', 'POST /v1/nothing', typed, 404, 'not_found'],
    ['JSON for a known path with another method', 'POST /v1/models', typed, 405, 'method_not_allowed'],
  ])('is answered when it calls it %s', async (_, line, headers, status, code) => {
    const given = { host: 'x', authorization: `Bearer ${KEY}`, connection: 'close', ...headers }
    const lines = Object.entries(given).map((pair) => pair.join(': '))
    const { head, body } = await exchange(`${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(body)).toMatchObject({ error: { code } })
  })
})

test('a request of an unknown path is answered before its body is sent', async () => {
  const { head } = await exchange(
    'POST /v1/nothing HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\nconnection: close\r\n\r\n',
  )
  expect(head).toMatch(/^HTTP\/1.1 404 /)
})
