import { describe, expect, test } from 'vitest'
import { ApiError } from '../src/index.ts'
import { connect, rejection } from './support/clients.ts'
import { closedByClient, readBody, startServer, type TestServer } from './support/servers.ts'
import { SPEECH, STREAM } from './support/speech.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function serve(status: number, body: string, headers: Record<string, string> = JSON_TYPE): Promise<TestServer> {
  return startServer(async (request, response) => {
    await readBody(request)
    response.writeHead(status, headers).end(body)
  })
}

async function failure(server: TestServer): Promise<ApiError> {
  const error = await rejection(connect(server.url).speech.create(SPEECH))
  if (error instanceof ApiError) return error
  throw error
}

describe('interface: "errors occur before a response starts and return the standard JSON error"', () => {
  const fields = { code: 'invalid_range', message: 'speed is out of range', param: 'speed', type: 'invalid_request' }

  test.each([
    // rules: errors.json, errors.before-response
    ['nested', JSON.stringify({ error: fields })],
    // rules: errors.body-open
    ['flat', JSON.stringify(fields)],
    ['beside other fields', JSON.stringify({ object: 'error', error: { ...fields, hint: 'x' }, extra: 1 })],
  ])('%s', async (_, body) => {
    const server = await serve(400, body, { ...JSON_TYPE, 'x-request-id': 'req-9' })
    const error = await failure(server)
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_range',
      param: 'speed',
      type: 'invalid_request',
      requestId: 'req-9',
      retryAfter: undefined,
      retryable: false,
      message: `POST ${server.url}/v1/audio/speech answered 400: speed is out of range`,
    })
  })

  test.each([
    // rules: errors.body-open
    ['plain text', 'upstream is down', 'upstream is down'],
    ['a JSON string', '"upstream is down"', 'upstream is down'],
    ['a page', '<!DOCTYPE html><title>502</title>', 'no message'],
    ['a page after a blank line', '\n <html>', 'no message'],
    ['nothing', '', 'no message'],
    ['blanks', ' \n', 'no message'],
    ['JSON without a message', '{"status":"bad"}', 'no message'],
    ['JSON that is cut', '{"error":{"mess', '{"error":{"mess'],
    ['an array', '[1]', 'no message'],
  ])('a body of %s', async (_, body, message) => {
    const server = await serve(502, body, {})
    expect((await failure(server)).message).toBe(`POST ${server.url}/v1/audio/speech answered 502: ${message}`)
  })

  test('a body of more than 64 KB is cut, and the rest is not read', async () => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' })
      left = closedByClient(response)
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_000)));
      }
      response.on('drain', flood)
      flood()
    })
    const error = await failure(server)
    expect(error.status).toBe(500)
    expect(error.message.length).toBeLessThan(1000)
    expect(await left).toBe('left')
  })

  test('a body of just under 64 KB is read whole', async () => {
    const server = await serve(500, JSON.stringify({ pad: 'x'.repeat(60_000), error: { message: 'at the end' } }))
    expect((await failure(server)).message).toContain('at the end')
  })

  test('a cut body still has its status', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(429, { ...JSON_TYPE, 'retry-after': '3', 'content-length': '999' })
      response.write('{"error":', () => response.destroy())
    })
    expect(await failure(server)).toMatchObject({ status: 429, retryAfter: 3, retryable: true })
  })

  // rules: errors.before-response
  test('every kind of call reports it', async () => {
    const server = await serve(403, JSON.stringify({ error: { code: 'forbidden', message: 'No' } }))
    const { speech, transcriptions, voices, models } = connect(server.url)
    const calls = [
      () => speech.create(SPEECH),
      () => speech.createUrl(SPEECH),
      () => speech.stream(STREAM),
      () => speech.stream({ ...STREAM, stream_format: 'audio' }),
      () => transcriptions.create({ model: 'svc-transcribe-1.0', file: Uint8Array.of(1) }),
      () => transcriptions.create({ model: 'svc-transcribe-1.0', file_id: 'f', response_format: 'text' }),
      () => voices.list(),
      () => models.list(),
    ]
    for (const call of calls) expect(await rejection(call())).toMatchObject({ name: 'ApiError', code: 'forbidden' })
  })
})

describe('Retry-After', () => {
  test('in seconds', async () => {
    expect(await failure(await serve(429, '{}', { 'retry-after': '12' }))).toMatchObject({
      retryAfter: 12,
      retryable: true,
    })
  })

  test('as a date, relative to the Date header', async () => {
    const headers = { date: 'Tue, 04 Mar 2025 10:00:00 GMT', 'retry-after': 'Tue, 04 Mar 2025 10:02:00 GMT' }
    expect(await failure(await serve(503, '{}', headers))).toMatchObject({ retryAfter: 120, retryable: true })
  })

  test('unreadable', async () => {
    expect((await failure(await serve(503, '{}', { 'retry-after': 'later' }))).retryAfter).toBeUndefined()
  })
})

describe('a redirect is not followed, and the key goes nowhere else', () => {
  test.each([301, 302, 303, 307, 308])('with status %d', async (status) => {
    const other = await startServer((_, response) => void response.end('{}'))
    const server = await serve(status, '', { location: `${other.url}/v1/audio/speech` })
    const error = await failure(server)
    expect(error).toMatchObject({ status, retryable: false })
    expect(error.message).toContain('redirects are not followed')
    expect(other.sockets).toHaveLength(0)
    expect(server.requests).toHaveLength(1)
  })

  test('on the same origin either', async () => {
    const server = await serve(307, '', { location: '/v1/audio/speech' })
    expect((await failure(server)).status).toBe(307)
    expect(server.requests).toHaveLength(1)
  })
})

describe('a success that breaks the interface', () => {
  test.each([
    ['text', 'OK'],
    ['nothing', ''],
    ['cut JSON', '{"object":"list"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
  ])('%s is a ProtocolError', async (_, body) => {
    const { models, speech } = connect((await serve(200, body)).url)
    expect(await rejection(models.list())).toMatchObject({ name: 'ProtocolError' })
    expect(await rejection(speech.createUrl(SPEECH))).toMatchObject({ name: 'ProtocolError' })
  })

  test('JSON that is cut by the connection is a StreamTruncatedError', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, JSON_TYPE).write('{"object":', () => response.destroy())
    })
    expect(await rejection(connect(server.url).models.list())).toMatchObject({ name: 'StreamTruncatedError' })
  })

  test('a byte order mark is not an error', async () => {
    const server = await serve(200, '\uFEFF{"object":"list","data":[]}')
    expect(await connect(server.url).models.list()).toEqual({ object: 'list', data: [] })
  })

  test.each([201, 202])('any status of 2xx is a success, %d too', async (status) => {
    const server = await serve(status, '{"object":"list","data":[]}')
    expect(await connect(server.url).models.list()).toEqual({ object: 'list', data: [] })
  })
})

test.each(['{}', '{"text":null}', '{"transcript":"hello"}'])(
  'a transcription %s has no text: ProtocolError',
  async (body) => {
    const server = await serve(200, body)
    const file = new Uint8Array(10)
    const call = connect(server.url).transcriptions.create({ model: 'svc-transcribe-1.0', file })
    expect(await rejection(call)).toMatchObject({
      name: 'ProtocolError',
      message: expect.stringContaining('`text`') as string,
    })
  },
)
