import { expect, test } from 'vitest'
import { type AudioBody, ProtocolError, StreamTruncatedError } from '../src/index.ts'
import { relayAudio } from '../src/adapter.ts'
import { collect, connect, rejection } from './support/clients.ts'
import { closedByClient, startServer } from './support/servers.ts'
import { SPEECH } from './support/speech.ts'

/** Audio of two chunks, the second of which may be withheld. */
async function open(type: string, { silent = false } = {}): Promise<{ audio: AudioBody; left: Promise<'left'> }> {
  const { promise: left, resolve } = Promise.withResolvers<'left'>()
  const server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': type }).write('first')
    if (silent) resolve(closedByClient(response))
    else response.end('last')
  })
  return { audio: await connect(server.url).speech.create(SPEECH), left }
}

test.each(['audio/wav', 'audio/mpeg; rate=22050', 'video/mp4', 'application/ogg', 'application/octet-stream'])(
  '%s is passed on whole',
  async (type) => {
    const { contentType, contentLength, chunks } = await relayAudio((await open(type)).audio)
    expect(contentType).toBe(type.split(';')[0])
    expect(contentLength).toBeUndefined()
    expect(Buffer.from(await collect(chunks)).toString()).toBe('firstlast')
  },
)

test('an announced length is returned', async () => {
  const server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '5' }).end('whole')
  })
  expect((await relayAudio(await connect(server.url).speech.create(SPEECH))).contentLength).toBe(5)
})

test.each(['image/svg+xml', 'text/plain', 'application/xhtml+xml', 'audio/', 'audio/wav" onload="x'])(
  '%s is refused, and the connection given up',
  async (type) => {
    const { audio, left } = await open(type, { silent: true })
    expect(await rejection(relayAudio(audio))).toBeInstanceOf(ProtocolError)
    expect(await left).toBe('left')
  },
)

test('a cut before the first byte throws before the relay begins', async () => {
  const server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '9' }).flushHeaders()
    response.destroy()
  })
  const audio = await connect(server.url).speech.create(SPEECH)
  expect(await rejection(relayAudio(audio))).toBeInstanceOf(StreamTruncatedError)
})

test.each([
  ['before it is read', false],
  ['while it waits for more', true],
])('leaving it %s closes the connection at once', async (_when, reading) => {
  const { audio, left } = await open('audio/wav', { silent: true })
  const { chunks } = await relayAudio(audio)
  if (reading) await chunks.next()
  const waiting = reading ? rejection(chunks.next()) : undefined
  await Promise.all([chunks.return(), waiting])
  expect(await left).toBe('left')
})
