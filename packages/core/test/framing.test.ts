import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type AudioBody, ConnectionError, ProtocolError, StreamTruncatedError } from '../src/index.ts'
import { connect, rejection } from './support/clients.ts'
import { LOCALHOST_CERTIFICATE } from '@svc-audio/kit/hosts'
import { respondJson, startRawServer, startServer } from './support/servers.ts'
import { CREATED, delta, DONE, frames, openEvents, pcm, SPEECH, STREAM } from './support/speech.ts'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'

const AUDIO = pcm(1000)

/** The audio of a raw answer. */
async function open(header: string, finish: (socket: Socket) => void): Promise<AudioBody> {
  const { url } = await startRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\n${header}\r\n`)
    finish(socket)
  })
  return connect(url).speech.create(SPEECH)
}

describe('a body that ends with its connection', () => {
  test('is not complete', async () => {
    const audio = await open('', (socket) => socket.end(AUDIO))
    expect(await audio.bytes()).toHaveLength(AUDIO.length)
    expect(audio.complete).toBe(false)
  })

  test('throws when the connection is reset', async () => {
    const audio = await open('', (socket) => {
      socket.write(AUDIO, () => setTimeout(() => socket.resetAndDestroy(), 50))
    })
    expect(await rejection(audio.bytes())).toBeInstanceOf(StreamTruncatedError)
  })
})

test.each([
  ['a length', `content-length: ${AUDIO.length}\r\n`, AUDIO],
  [
    'chunks',
    'transfer-encoding: chunked\r\n',
    Buffer.concat([Buffer.from(`${AUDIO.length.toString(16)}\r\n`), AUDIO, Buffer.from('\r\n0\r\n\r\n')]),
  ],
])('a body with %s is proven complete at its end, and not before', async (_, header, body) => {
  const audio = await open(header, (socket) => socket.end(body))
  expect(audio.complete).toBe(false)
  await audio.bytes()
  expect(audio.complete).toBe(true)
})

describe('a compressed response', () => {
  test('is not requested', async () => {
    const server = await startServer((_, response) => void response.end('{"object":"list","data":[]}'))
    await connect(server.url).models.list({ headers: { 'accept-encoding': 'gzip' } })
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity')
  })

  test.each([
    ['gzip', 'content-encoding gzip', gzipSync(AUDIO)],
    ['br', 'content-encoding br (Brotli)', brotliCompressSync(AUDIO)],
  ])('with %s is refused by name instead of stored as audio', async (coding, name, body) => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-encoding': coding }).end(body)
    })
    const error = await rejection(connect(server.url).speech.create(SPEECH))
    expect(error).toBeInstanceOf(ProtocolError)
    expect((error as Error).message).toContain(name)
    expect((error as Error).message).toContain('turn off compression in the proxy')
  })

  test('that is an error has its status, and no binary message', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(403, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":{"message":"no"}}'))
    })
    const error = await rejection(connect(server.url).models.list())
    expect(error).toMatchObject({ status: 403, message: expect.stringContaining('no message') })
  })
})

test.each([
  ['with a length', { 'content-length': '0' }],
  ['without one', {}],
])('audio of 0 bytes %s is an error', async (_, headers) => {
  const server = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg', ...headers }).end()
  })
  const client = connect(server.url)
  expect(await rejection((await client.speech.create(SPEECH)).bytes())).toBeInstanceOf(ProtocolError)
  expect(await rejection((await client.download({ url: `${server.url}/a` })).bytes())).toBeInstanceOf(ProtocolError)
})

test('an error without a type in a stream shows the message of the service', async () => {
  const server = await startServer((_, response) => {
    openEvents(response)
    response.end(frames(CREATED, delta(AUDIO), { error: { code: 'busy', message: 'The engine stopped' } }))
  })
  const stream = await connect(server.url).speech.stream(STREAM)
  expect(await rejection(stream.toWav())).toMatchObject({
    name: 'StreamFailedError',
    code: 'busy',
    message: 'The engine stopped',
  })
})

test('empty data lines are heartbeats and do not end a stream', async () => {
  const server = await startServer((_, response) => {
    openEvents(response)
    response.end(`data:\n\n${frames(CREATED)}data: \n\n${frames(delta(AUDIO))}data:\n\n${frames(DONE)}`)
  })
  const stream = await connect(server.url).speech.stream(STREAM)
  expect(await stream.toWav()).toHaveLength(44 + AUDIO.length)
  expect(stream.complete).toBe(true)
})

test.each([{}, { text: null }, { data: [] }])('a transcription of %j is a ProtocolError', async (answer) => {
  const server = await startServer((request, response) => respondJson(request, response, answer))
  const { transcriptions } = connect(server.url)
  const error = await rejection(transcriptions.create({ model: 'svc-transcribe-1.0', file_id: 'f' }))
  expect(error).toBeInstanceOf(ProtocolError)
})

test('a refused certificate throws with maybeSent false', async () => {
  const server = createServer(LOCALHOST_CERTIFICATE).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const error = await rejection(connect(`https://127.0.0.1:${(server.address() as AddressInfo).port}`).models.list())
  server.close()
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ maybeSent: false, message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') })
})
