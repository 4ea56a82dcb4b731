import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepConnection } from './support/connections.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

const BOUNDARY = 'boundary-of-the-test'
/** More than a connection buffers without a reader. */
const LONG = 'x'.repeat(900_000)

let service: TestService
beforeAll(async () => {
  service = await startTestService({ maxUploadBytes: 1000 })
})
afterAll(() => service.close())

function part(disposition: string, value: string): string {
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`
}

function form(...parts: string[]): string {
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

/** A whole request. */
function upload(path: string, body: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${KEY}`,
    `content-type: multipart/form-data; boundary=${BOUNDARY}`,
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

const LOOK = `GET /v1/models HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\nconnection: close\r\n\r\n`

/** Sends two requests on one connection, the second after the first response. @returns both statuses */
async function oneAfterTheOther(first: string, second: string): Promise<(number | undefined)[]> {
  const connection = keepConnection(service.url)
  connection.send(first)
  const refused = await connection.next()
  connection.send(second)
  return [refused, await connection.next()]
}

const FILE = 'name="file"; filename="a.wav"'
const SAMPLE = 'name="audio_sample"; filename="a.wav"'
const OTHER = 'name="other"; filename="a.wav"'

// Clients reuse connections: an upload refused mid-body must not block the next request.
describe('after a refused upload, the next request on the connection is answered', () => {
  test.each([
    ['a field that is too long', '/v1/audio/voices', form(part('name="audio_sample"', LONG)), 400],
    ['a file in another field', '/v1/files', form(part(OTHER, LONG)), 400],
    // Within the limit, the file waits for a reader that never comes.
    ['a sample in another field', '/v1/audio/voices', form(part(OTHER, LONG)), 400],
    ['a second file', '/v1/files', form(part(FILE, 'a'), part(FILE, LONG)), 400],
    ['a second sample', '/v1/audio/voices', form(part(SAMPLE, 'a'), part(SAMPLE, LONG)), 400],
    [
      'a sample behind a field that is too long',
      '/v1/audio/voices',
      form(part('name="name"', LONG), part(SAMPLE, LONG)),
      400,
    ],
    ['a file that is too large', '/v1/files', form(part(FILE, LONG)), 413],
    ['the same, for a transcription', '/v1/audio/transcriptions', form(part(FILE, LONG)), 413],
    ['a form without an end', '/v1/files', part(FILE, 'a') + LONG, 400],
    ['text instead of a form', '/v1/files', LONG, 400],
  ])('%s', async (_fault, path, body, status) => {
    expect(await oneAfterTheOther(upload(path, body), LOOK)).toEqual([status, 200])
  })

  test('an accepted form, with a long text after its end', async () => {
    expect(await oneAfterTheOther(upload('/v1/files', form(part(FILE, 'a')) + LONG), LOOK)).toEqual([200, 200])
  })

  // The parser never reads bytes that arrive after the response.
  test.each([
    ['a sample in another field', form(part(OTHER, LONG))],
    ['a second sample', form(part(SAMPLE, 'a'), part(SAMPLE, LONG))],
  ])('%s, mostly sent after its response', async (_fault, body) => {
    const request = upload('/v1/audio/voices', body)
    const begun = request.length - LONG.length
    expect(await oneAfterTheOther(request.slice(0, begun), request.slice(begun) + LOOK)).toEqual([400, 200])
  })
})
