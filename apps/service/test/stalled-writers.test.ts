import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, startTestService, type TestService } from './support/test-service.ts'
import { whenClosed } from './support/connections.ts'

/** Long enough for a busy machine to send a few bytes in. */
const STALL = 1000

let service: TestService
beforeAll(async () => {
  service = await startTestService({ stallTimeout: STALL })
})
afterAll(() => service.close())

function openConnection(): Socket {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  return socket.resume()
}

function open(type: string, length: number): Socket {
  const socket = openConnection()
  const path = type === 'application/json' ? '/v1/audio/speech' : '/v1/files'
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
  )
  return socket
}

const FORM = 'multipart/form-data; boundary=b'
const HEAD = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'

test.each([
  ['a JSON body', 'application/json', '{"model":'],
  ['an upload', FORM, `${HEAD}a few bytes`],
])('%s that rests is cut', async (_what, type, start) => {
  const socket = open(type, 100_000)
  socket.write(start)
  await whenClosed(socket)
  await expect.poll(() => service.list('uploads'), { timeout: 10_000 }).toEqual([])
})

test('a JSON body that drips is cut too', async () => {
  const socket = open('application/json', 100_000)
  const drip = setInterval(() => socket.write(' '), 50)
  await whenClosed(socket)
  clearInterval(drip)
  expect(socket.bytesWritten).toBeLessThan(100_000)
})

test.each([
  ['nothing', ''],
  ['half a head', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
])('a connection that sends %s before its first request is closed', async (_what, start) => {
  const socket = openConnection()
  if (start !== '') socket.write(start)
  await whenClosed(socket)
  expect(socket.bytesWritten).toBe(start.length)
})

test('an upload that comes slowly is stored', async () => {
  const end = '\r\n--b--\r\n'
  const socket = open(FORM, HEAD.length + 8 + end.length)
  let response = ''
  socket.setEncoding('utf8').on('data', (text: string) => (response += text))
  socket.write(HEAD)
  for (let n = 0; n < 8; n += 1) {
    await sleep(STALL / 3)
    socket.write('x')
  }
  socket.write(end)
  await expect.poll(() => response, { timeout: 10_000 }).toContain('200 OK')
  socket.destroy()
})

test('a request whose work takes longer than that is answered', async () => {
  const input = 'This is a long text to be spoken. '.repeat(60)
  const body = { model: 'svc-tts-1.0-pro', voice_id: 'rms', input, response_format: 'wav' }
  const response = await service.request('POST', '/v1/audio/speech', body)
  expect(response.status).toBe(200)
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000)
})
