import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AudioBody, ConfigurationError, ProtocolError, StreamTruncatedError } from '../src/index.ts'
import { collect, connect, rejection, until } from './support/clients.ts'
import { closedByClient, startRawServer, startServer } from './support/servers.ts'
import { pcm, SPEECH } from './support/speech.ts'
import { memoryClient } from './support/memory-client.ts'

const AUDIO = pcm(300_000)
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-body-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function open(headers: Record<string, string> = {}, body: Uint8Array = AUDIO): Promise<AudioBody> {
  const server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg; codecs=mp3', ...headers }).end(body)
  })
  return connect(server.url).speech.create(SPEECH)
}

describe('interface: "returns the audio binary; Content-Type follows response_format"', () => {
  // rules: speech.audio-answer
  test('type, length and request id are known before the first byte', async () => {
    const audio = await open({ 'content-length': String(AUDIO.length), 'x-request-id': 'req-3' })
    expect(audio).toMatchObject({ contentType: 'audio/mpeg', contentLength: AUDIO.length, requestId: 'req-3' })
    const chunked = await open({ 'transfer-encoding': 'chunked', 'content-type': 'AUDIO/WAV' })
    expect(chunked).toMatchObject({ contentType: 'audio/wav', contentLength: undefined, requestId: undefined })
  })

  test('a response without a type is application/octet-stream', async () => {
    const server = await startServer((_, response) => void response.end(AUDIO))
    expect(await connect(server.url).speech.create(SPEECH)).toMatchObject({ contentType: 'application/octet-stream' })
  })

  const ways: readonly (readonly [string, (audio: AudioBody) => Promise<Uint8Array>])[] = [
    ['bytes', (audio) => audio.bytes()],
    ['an iteration', (audio) => collect(audio)],
    ['a web stream', (audio) => collect(audio.stream())],
    ['a Response', async (audio) => new Response(audio.stream()).bytes()],
  ]

  test.each(ways)('%s', async (_, read) => {
    for (const headers of [{ 'content-length': String(AUDIO.length) }, { 'transfer-encoding': 'chunked' }]) {
      expect(Buffer.compare(await read(await open(headers)), AUDIO)).toBe(0)
    }
  })

  test('a file, without leftovers', async () => {
    const path = join(folder, 'a.mp3')
    expect(await (await open()).saveTo(path)).toBe(AUDIO.length)
    expect(Buffer.compare(await readFile(path), AUDIO)).toBe(0)
    expect(await readdir(folder)).toEqual(['a.mp3'])
  })

  test.each(['application/json', 'text/html; charset=utf-8'])(
    'a document of %s is not taken for audio',
    async (type) => {
      let left: Promise<'left'> | undefined
      const server = await startServer((_, response) => {
        response.writeHead(200, { 'content-type': type }).write('{')
        left = closedByClient(response)
      })
      expect(await rejection(connect(server.url).speech.create(SPEECH))).toBeInstanceOf(ProtocolError)
      expect(await left).toBe('left')
    },
  )
})

describe('audio is complete or it throws', () => {
  test.each([
    ['short of its Content-Length', `content-length: ${AUDIO.length}`, AUDIO.subarray(0, 1000), AUDIO.length],
    ['cut between chunks', 'transfer-encoding: chunked', chunk(AUDIO.subarray(0, 1000)), undefined],
    ['cut within a chunk', 'transfer-encoding: chunked', chunk(AUDIO.subarray(0, 2000)).subarray(0, 1005), undefined],
  ])('%s', async (_, header, body, expectedBytes) => {
    const server = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\nx-request-id: req-4\r\n${header}\r\n\r\n`)
      socket.end(body)
    })
    const client = connect(server.url)
    const path = join(folder, 'a.mp3')
    const reads: readonly ((audio: AudioBody) => Promise<unknown>)[] = [
      (audio) => audio.bytes(),
      (audio) => collect(audio),
      (audio) => collect(audio.stream()),
      (audio) => audio.saveTo(path),
    ]
    for (const read of reads) {
      const error = await rejection(read(await client.speech.create(SPEECH)))
      expect(error).toBeInstanceOf(StreamTruncatedError)
      expect(error).toMatchObject({ expectedBytes, requestId: 'req-4', bytes: 1000 })
    }
    expect(await readdir(folder)).toEqual([])
  })

  test('a cut audio does not replace the file at the path', async () => {
    const path = join(folder, 'a.mp3')
    await writeFile(path, 'before')
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(AUDIO, () => response.destroy())
    })
    expect(await rejection((await connect(server.url).speech.create(SPEECH)).saveTo(path))).toBeInstanceOf(
      StreamTruncatedError,
    )
    expect(await readFile(path, 'utf8')).toBe('before')
  })

  test('the length reveals a transport that stops early', async () => {
    const { client } = memoryClient(() => ({ headers: { 'content-length': '10' }, chunks: [AUDIO.subarray(0, 9)] }))
    expect(await rejection((await client.speech.create(SPEECH)).bytes())).toMatchObject({ bytes: 9, expectedBytes: 10 })
  })

  test('the length of an encoded body does not apply to a decoded one', async () => {
    const headers = { 'content-length': '10', 'content-encoding': 'gzip' }
    const { client } = memoryClient(() => ({ headers, chunks: [AUDIO.subarray(0, 99)] }))
    const audio = await client.speech.create(SPEECH)
    expect(audio.contentLength).toBeUndefined()
    expect(await audio.bytes()).toHaveLength(99)
  })

  test('a client without access to files throws and closes the connection', async () => {
    const { client, cancelled } = memoryClient(() => ({ headers: {}, chunks: [AUDIO] }))
    const audio = await client.speech.create(SPEECH)
    expect(await rejection(audio.saveTo(join(folder, 'a.mp3')))).toBeInstanceOf(ConfigurationError)
    expect(cancelled()).toBe(1)
  })
})

/** One chunk of chunked coding, without the end of the body. */
function chunk(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

describe('back-pressure', () => {
  /** Bytes that a server could send at most while nobody reads, kernel buffers included. */
  const BUFFERS = 32 * 1024 * 1024
  const TOTAL = 128 * 1024 * 1024

  test('a huge body is sent only as it is read, and stops when the reader stops', async () => {
    const piece = new Uint8Array(1024 * 1024)
    let sent = 0
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': String(TOTAL) })
      const send = (): void => {
        while (sent < TOTAL && !response.writableNeedDrain) {
          sent += piece.length
          response.write(piece)
        }
      }
      response.on('drain', send)
      send()
    })
    const audio = await connect(server.url).speech.create(SPEECH)
    const iterator = audio[Symbol.asyncIterator]()
    await iterator.next()
    // Stands still once the buffers between are full: no more is sent however long nobody reads.
    let before = -1
    while (before !== sent) {
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(sent).toBeLessThan(BUFFERS)
    let bytes = 0
    for await (const read of iterator) bytes += read.byteLength
    expect(sent).toBe(TOTAL)
    expect(bytes).toBeGreaterThan(TOTAL - BUFFERS)
  })

  test('a web stream requests nothing before it is read', async () => {
    let pulls = 0
    const { client } = memoryClient(() => ({
      headers: {},
      chunks: (function* endless() {
        for (;;) {
          pulls += 1
          yield AUDIO.subarray(0, 10)
        }
      })(),
    }))
    const stream = (await client.speech.create(SPEECH)).stream()
    await until(() => true)
    expect(pulls).toBe(0)
    const reader = stream.getReader()
    await reader.read()
    await reader.read()
    expect(pulls).toBe(2)
    await reader.cancel()
  })
})
