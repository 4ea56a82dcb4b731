import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeTransport, type TransportResponse, type UploadProgress, type UploadSource } from '../src/index.ts'
import type { RequestBody } from '../src/adapter.ts'
import { multipartBody } from '../src/uploads/multipart.ts'
import { openUpload } from '../src/uploads/source.ts'
import { connect, rejection, until } from './support/clients.ts'
import { hastyClient } from './support/hasty-client.ts'
import { respondJson, readBody, startServer } from './support/servers.ts'
import { pcm } from './support/speech.ts'

const MB = 1024 * 1024
const PIECE = new Uint8Array(MB)

async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
  for (let count = 0; count < 32; count += 1) yield PIECE
}

const bodyOf = async (file: UploadSource, onProgress: (progress: UploadProgress) => void): Promise<RequestBody> =>
  multipartBody([['model', 'm']], 'file', await openUpload(file, 'file'), { onProgress })

/** Sends a body over a connection of its own. */
async function send(url: string, body: RequestBody): Promise<TransportResponse> {
  const transport = nodeTransport()
  onTestFinished(() => transport.close?.())
  const headers: Record<string, string> = { 'content-type': body.contentType }
  if (body.contentLength !== undefined) headers['content-length'] = String(body.contentLength)
  return transport.send({ method: 'POST', url, headers, body, signal: new AbortController().signal })
}

describe('progress over a connection', () => {
  test.each([32 * MB, undefined])('of a file of %s bytes ends at what the service got', async (size) => {
    const told: UploadProgress[] = []
    let received = 0
    const server = await startServer(async (request, response) => {
      received = (await readBody(request)).length
      response.end()
    })
    const file = { data: pieces, ...(size === undefined ? {} : { size }) }
    const body = await bodyOf(file, (progress) => told.push(progress))
    const { status } = await send(server.url, body)
    expect(status).toBe(200)
    expect(told.at(-1)).toEqual({ sentBytes: received, totalBytes: size === undefined ? undefined : received })
    expect(told.length).toBeLessThanOrEqual(34)
  })

  test('counts only bytes that the service reads', async () => {
    const told: UploadProgress[] = []
    const mayRead = Promise.withResolvers<void>()
    const server = await startServer(async (request, response) => {
      await mayRead.promise
      await readBody(request)
      response.end()
    })
    const sent = send(server.url, await bodyOf({ data: pieces, size: 32 * MB }, (progress) => told.push(progress)))
    for (let before = -1; before !== told.length; await new Promise((resolve) => setTimeout(resolve, 200))) {
      before = told.length
    }
    expect(told.at(-1)?.sentBytes).toBeLessThan(32 * MB)
    mayRead.resolve()
    await sent
    expect(told.at(-1)?.sentBytes).toBeGreaterThan(32 * MB)
  })

  test('of a retried request starts again at 0', async () => {
    const told: number[] = []
    let tries = 0
    const server = await startServer(async (request, response) => {
      tries += 1
      if (tries === 1) {
        request.once('data', () => request.socket.destroy())
        return
      }
      await readBody(request)
      response.end()
    })
    const body = await bodyOf({ data: pieces, size: 32 * MB }, ({ sentBytes }) => told.push(sentBytes))
    await rejection(send(server.url, body))
    const first = told.splice(0)
    await send(server.url, body)
    expect(told[0]).toBe(first[0])
    expect(told.at(-1)).toBe(body.contentLength)
  })

  test.each([new Error('the window is closed'), undefined])('that throws %s fails the request', async (thrown) => {
    let whole = false
    const server = await startServer(async (request, response) => {
      await readBody(request).then(
        () => (whole = true),
        () => false,
      )
      response.end()
    })
    const body = await bodyOf({ data: pieces }, ({ sentBytes }) => {
      if (sentBytes > 5 * MB) throw thrown
    })
    await rejection(send(server.url, body))
    expect(body.failure).toEqual({ error: thrown })
    await until(() => server.sockets.every((socket) => socket.destroyed))
    expect(whole).toBe(false)
  })
})

describe('onUploadProgress', () => {
  const body = { model: 'svc-transcribe-1.0', file: pcm(700_000) } as const

  test('receives every byte of the body', async () => {
    const server = await startServer(async (request, response) => respondJson(request, response, { text: 'a' }))
    const told: UploadProgress[] = []
    await connect(server.url).transcriptions.create(body, { onUploadProgress: (progress) => void told.push(progress) })
    const total = Number(server.requests[0]?.headers['content-length'])
    expect(told.at(-1)).toEqual({ sentBytes: total, totalBytes: total })
    expect(told.map(({ sentBytes }) => sentBytes)).toEqual(
      told.map(({ sentBytes }) => sentBytes).toSorted((a, b) => a - b),
    )
  })

  test('starts again at 0 for a retry', async () => {
    let count = 0
    const server = await startServer((request, response) => {
      count += 1
      return respondJson(request, response, { text: 'a' }, count === 1 ? 503 : 200)
    })
    const told: number[] = []
    const { client } = hastyClient(server.url)
    await client.transcriptions.create(body, { onUploadProgress: ({ sentBytes }) => void told.push(sentBytes) })
    const [first = 0] = told
    expect(told.filter((bytes) => bytes === first)).toHaveLength(2)
  })

  test('an exception in it fails the call without a retry', async () => {
    const server = await startServer(async (request) => void (await readBody(request).catch(() => {})))
    const { client } = hastyClient(server.url)
    const mine = new Error('my own')
    const onUploadProgress = (): never => {
      throw mine
    }
    expect(await rejection(client.transcriptions.create(body, { onUploadProgress }))).toBe(mine)
    expect(server.requests.length).toBeLessThan(2)
  })
})
