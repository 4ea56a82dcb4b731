import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

const BOUNDARY = 'boundary-of-the-test'
/** More than a connection takes in before somebody reads. */
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

/** Sends two requests on one connection, the second once the first is answered. @returns both statuses */
async function oneAfterTheOther(first: string, second: string): Promise<number[]> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  const statuses = (): number[] => Array.from(received.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
  socket.write(first)
  socket.on('data', (data) => {
    const before = statuses().length
    received += data.toString('latin1')
    if (before === 0 && statuses().length === 1) socket.write(second)
  })
  await once(socket, 'close')
  return statuses()
}

const FILE = 'name="file"; filename="a.wav"'

// A client keeps its connections: what was refused in the midst of its body must not stop what comes after it.
describe('after an upload that was refused, the next request on the connection is answered', () => {
  test.each([
    ['a field that is too long', '/v1/audio/voices', form(part('name="audio_sample"', LONG)), 400],
    ['a file in another field', '/v1/files', form(part('name="other"; filename="a"', LONG)), 400],
    ['a second file', '/v1/files', form(part(FILE, 'a'), part(FILE, LONG)), 400],
    ['a file that is too large', '/v1/files', form(part(FILE, LONG)), 413],
    ['the same, for a transcription', '/v1/audio/transcriptions', form(part(FILE, LONG)), 413],
    ['a form without an end', '/v1/files', part(FILE, 'a') + LONG, 400],
    ['text that is no form', '/v1/files', LONG, 400],
  ])('%s', async (_fault, path, body, status) => {
    expect(await oneAfterTheOther(upload(path, body), LOOK)).toEqual([status, 200])
  })

  test('a form that was taken, with a long text behind its end', async () => {
    expect(await oneAfterTheOther(upload('/v1/files', form(part(FILE, 'a')) + LONG), LOOK)).toEqual([200, 200])
  })
})
