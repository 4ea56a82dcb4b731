import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Sends bytes, and returns all bytes of the response until the service closes the connection. */
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
    const [response] = (await once(socket, 'data')) as [Buffer]
    expect(String(response)).toMatch(/^HTTP\/1.1 200 /)
    expect(String(response)).not.toMatch(/^connection: close$/im)
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
    ['JSON for a deletion', 'DELETE /v1/files/file_1', typed, 404, 'file_not_found'],
    ['JSON for a cancellation', 'DELETE /v1/audio/tasks/task_1', typed, 404, 'task_not_found'],
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

const SPEECH = JSON.stringify({ model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', delivery_method: 'url' })

function post(type: string, body: string | Buffer, more: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': type, ...more },
    body,
  })
}

describe('a body that is encoded', () => {
  test.each(['gzip', 'br', 'identity, gzip', 'nonsense'])('by %s is 415', async (coding) => {
    const response = await post('application/json', gzipSync(SPEECH), { 'content-encoding': coding })
    expect(response.headers.get('accept-encoding')).toBe('identity')
    expect(await errorOf(response)).toEqual({ status: 415, code: 'unsupported_content_encoding', param: null })
  })

  test.each(['iso-8859-1', '"UTF-16"', 'utf-7'])('as %s is 415', async (charset) => {
    const response = await post(`application/json; charset=${charset}`, SPEECH)
    expect(await errorOf(response)).toEqual({ status: 415, code: 'unsupported_charset', param: null })
  })

  test.each([
    ['application/json; charset=UTF-8', {}],
    ['application/json;charset="utf8"', {}],
    ['application/json; charset=us-ascii', {}],
    ['application/json', { 'content-encoding': 'identity' }],
  ])('as %s with %j is accepted', async (type, more) => {
    expect((await post(type, SPEECH, more)).status).toBe(200)
  })

  test.each([
    ['Latin-1', Buffer.from(SPEECH.replace('Yes', 'Café'), 'latin1')],
    ['a cut character', Buffer.concat([Buffer.from('{"input":"Caf'), Buffer.of(0xc3), Buffer.from('"}')])],
    ['a surrogate', Buffer.concat([Buffer.from('{"input":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')])],
  ])('as %s under the name of UTF-8 is 400', async (_, body) => {
    expect(isUtf8(body)).toBe(false)
    expect(await errorOf(await post('application/json', body))).toEqual({
      status: 400,
      code: 'invalid_utf8',
      param: null,
    })
  })

  test('in a form is refused too', async () => {
    const form = { 'content-type': 'multipart/form-data; boundary=b' }
    const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nx\r\n--b--\r\n'
    const purpose = '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nCaf\u00E9\r\n'
    const send = (body: string | Buffer, more: Record<string, string> = {}) =>
      fetch(`${service.url}/v1/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, ...form, ...more },
        body,
      })
    expect((await send(purpose + file)).status).toBe(200)
    const latin = await send(Buffer.from(purpose + file, 'latin1'))
    expect(await errorOf(latin)).toEqual({ status: 400, code: 'invalid_utf8', param: 'purpose' })
    const zipped = await send(gzipSync(purpose + file), { 'content-encoding': 'gzip' })
    expect(await errorOf(zipped)).toMatchObject({ status: 415, code: 'unsupported_content_encoding' })
  })
})
