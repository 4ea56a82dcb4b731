import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { nodeTransport } from '../src/index.ts'
import { readChunks } from '../src/node/files.ts'
import { lend } from '../src/node/sockets.ts'
import { connect } from './support/clients.ts'
import { startServer, type TestServer } from './support/servers.ts'

const MB = 1024 * 1024
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-integrity-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A file of random bytes, of a length that fills no chunk exactly. */
async function randomFile(name: string, size: number): Promise<{ path: string; bytes: Buffer }> {
  const path = join(folder, name)
  const bytes = randomBytes(size)
  await writeFile(path, bytes)
  return { path, bytes }
}

/** Reads a request in fits and starts, so that the connection's buffers run full and empty again; gives its hash. */
async function readSlowly(request: IncomingMessage, cut: (body: Buffer) => Buffer): Promise<string> {
  await sleep(100)
  const pieces: Buffer[] = []
  for await (const piece of request as AsyncIterable<Buffer>) {
    pieces.push(piece)
    if (pieces.length % 16 === 0) await sleep(pieces.length % 7)
  }
  return sha256(cut(Buffer.concat(pieces)))
}

async function startSlowServer(cut: (body: Buffer) => Buffer): Promise<TestServer> {
  return startServer(async (request, response) => {
    response.end(JSON.stringify({ text: await readSlowly(request, cut) }))
  })
}

/** The file in a multipart body whose only other field is the model. */
function fileOf(body: Buffer): Buffer {
  const boundary = body.subarray(0, body.indexOf('\r\n'))
  const start = body.indexOf('\r\n\r\n', body.indexOf('filename="')) + 4
  return body.subarray(start, body.lastIndexOf(`\r\n${boundary.toString()}`))
}

test('many concurrent uploads to a slow service arrive unchanged', async () => {
  const server = await startSlowServer(fileOf)
  const { transcriptions } = connect(server.url)
  const sizes = Array.from({ length: 12 }, (_, index) => (2 + index) * MB + index * 1009)
  const uploads = sizes.map(async (size, index) => {
    const { path, bytes } = await randomFile(`${index}.bin`, size)
    const { text } = await transcriptions.create({ model: 'svc-transcribe-1.0', file: path })
    expect(text).toBe(sha256(bytes))
  })
  await Promise.all(uploads)
  expect(server.requests).toHaveLength(sizes.length)
})

test('sequential uploads on one connection arrive unchanged', async () => {
  const server = await startSlowServer(fileOf)
  const { transcriptions } = connect(server.url)
  for (const size of [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 3 * MB]) {
    const { path, bytes } = await randomFile('again.bin', size)
    const { text } = await transcriptions.create({ model: 'svc-transcribe-1.0', file: path })
    expect(text).toBe(sha256(bytes))
  }
  expect(server.sockets).toHaveLength(1)
})

/** Sends bytes through the real transport to a slow service, which answers with the hash of what arrived. */
async function sendSlowly(contentLength: number, open: () => AsyncIterable<Uint8Array>): Promise<string> {
  const server = await startSlowServer((body) => body)
  const transport = nodeTransport()
  onTestFinished(() => transport.close?.())
  const response = await transport.send({
    method: 'POST',
    url: server.url,
    headers: { 'content-length': String(contentLength) },
    body: { contentType: 'audio/wav', contentLength, open },
    signal: new AbortController().signal,
  })
  let answer = ''
  for await (const piece of response.body) answer += String(Buffer.from(piece))
  return answer
}

test('a large file is sent from the memory of one chunk, and arrives unchanged', async () => {
  const { path, bytes } = await randomFile('large.bin', 24 * MB + 7)
  const memory = new Set<unknown>()
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of readChunks(path, bytes.length)) {
      memory.add(chunk.buffer)
      yield chunk
    }
  }
  expect(await sendSlowly(bytes.length, watched)).toBe(JSON.stringify({ text: sha256(bytes) }))
  expect(memory.size).toBe(1)
})

test('short chunks are not overwritten before they are written', async () => {
  const bytes = randomBytes(24 * MB)
  const size = 1000
  const free: Buffer[] = []
  const buffers = new Set<Buffer>()
  async function* short(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes.length; at += size) {
      const buffer = free.pop() ?? Buffer.alloc(size)
      buffers.add(buffer)
      const chunk = buffer.subarray(0, bytes.copy(buffer, 0, at, at + size))
      lend(chunk, () => free.push(buffer))
      yield chunk
    }
  }
  expect(await sendSlowly(bytes.length, short)).toBe(JSON.stringify({ text: sha256(bytes) }))
  // One would do if none of them had ever waited.
  expect(buffers.size).toBeGreaterThan(1)
})
