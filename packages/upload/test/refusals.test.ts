import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { serverUrl } from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { discardUpload, type DrainOptions, receiveUpload, type UploadOptions } from '../src/index.ts'
import { RawClient, type Receiver, startReceiver } from './support/receiver.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const MIB = 1024 * 1024
const WRONG_FIELD = '--x\r\nContent-Disposition: form-data; name="photo"; filename="a.wav"\r\n\r\ncontent'

/** The head and the first bytes of a form with its file in the wrong field. */
function wrongField(length: number, connection: 'close' | 'keep-alive'): string {
  return [
    'POST / HTTP/1.1',
    'Host: a',
    `Connection: ${connection}`,
    'Content-Type: multipart/form-data; boundary=x',
    `Content-Length: ${length}`,
    '',
    WRONG_FIELD,
  ].join('\r\n')
}

async function refusing(options: Partial<UploadOptions>, connection: 'close' | 'keep-alive'): Promise<RawClient> {
  const receiver = await startReceiver({ maxFileSize: 500 * MIB, ...options })
  const client = new RawClient(receiver.port, connection === 'close')
  cleanups.push(() => receiver.close())
  await client.send(wrongField(100 * MIB, connection))
  return client
}

/** Sends until the connection takes no more; resolves with the number of bytes it took, or the error. */
async function sendOn(client: RawClient, limit: number): Promise<number | Error> {
  const failures: Error[] = []
  client.socket.on('error', (error) => failures.push(error))
  let sent = 0
  for (; sent < limit && failures.length === 0; sent += MIB) {
    const taken = client.send(Buffer.alloc(MIB))
    await Promise.race([taken, client.closed, wait(500)])
  }
  return failures[0] ?? sent
}

/** Sends until the connection is lost or takes no more for half a second. @returns The bytes sent before. */
async function sendUntilBlocked(client: RawClient): Promise<number> {
  let sent = 0
  let taking = true
  while (taking && !client.socket.destroyed) {
    const taken = client.send(Buffer.alloc(MIB)).then(() => true)
    taking = await Promise.race([taken, wait(500, false)])
    sent += MIB
  }
  return sent
}

/** A server that refuses every upload before it reads it. */
async function startGuard(limits: DrainOptions = {}): Promise<Pick<Receiver, 'port' | 'close'>> {
  const server = createServer((request, response) => {
    discardUpload(request, limits)
    response.writeHead(401, { 'content-length': 7 }).end('sign in')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

describe('a refused upload over HTTP/1.1', () => {
  test('that asked for Connection: close is answered, and its further bytes meet no reset', async () => {
    const client = await refusing({}, 'close')
    expect(await client.answer()).toEqual({ status: 400, body: 'unexpected_file' })
    await wait(50)
    expect(await sendOn(client, 8 * MIB)).toBe(8 * MIB)
  })

  test('that asked for Connection: close closes when the whole body has arrived', async () => {
    const receiver = await startReceiver()
    cleanups.push(() => receiver.close())
    const client = new RawClient(receiver.port, true)
    await client.send(wrongField(WRONG_FIELD.length + 1000, 'close'))
    expect(await client.answer()).toMatchObject({ status: 400 })
    await client.send(Buffer.alloc(1000))
    client.socket.end()
    await client.closed
  })

  test('by a guard with discardUpload is answered, and its further bytes meet no reset', async () => {
    const guard = await startGuard()
    cleanups.push(() => guard.close())
    const client = new RawClient(guard.port, true)
    await client.send(wrongField(100 * MIB, 'close'))
    expect(await client.answer()).toEqual({ status: 401, body: 'sign in' })
    await wait(50)
    expect(await sendOn(client, 8 * MIB)).toBe(8 * MIB)
  })

  test.each([
    ['by receiveUpload', () => startReceiver({ maxFileSize: 500 * MIB, limits: { drain: { maxBytes: MIB } } })],
    ['by a guard with discardUpload', () => startGuard({ maxBytes: MIB })],
  ])('%s reaches a client that sends beyond the bytes of `drain` before it reads', async (_name, start) => {
    const receiver = await start()
    cleanups.push(() => receiver.close())
    const client = new RawClient(receiver.port, true)
    const failures: Error[] = []
    client.socket.on('error', (error) => failures.push(error))
    await client.send(wrongField(100 * MIB, 'close'))
    // The client reads nothing until the connection takes no more bytes.
    client.socket.pause()
    const sent = await sendUntilBlocked(client)
    expect(sent).toBeGreaterThan(MIB)
    expect(failures).toEqual([])
    client.socket.resume()
    expect((await client.answer()).status).toBeGreaterThanOrEqual(400)
  })

  test('closes after the bytes of `drain`, with the response before', async () => {
    const client = await refusing({ limits: { drain: { maxBytes: MIB, timeout: 60_000 } } }, 'keep-alive')
    expect(await client.answer()).toMatchObject({ status: 400 })
    await sendOn(client, 64 * MIB)
    await client.closed
  })

  test('closes after the time of `drain`', async () => {
    const client = await refusing({ limits: { drain: { timeout: 100 } } }, 'keep-alive')
    expect(await client.answer()).toMatchObject({ status: 400 })
    await client.closed
  })
})

describe('a refused upload over HTTP/2', () => {
  test('ends its stream with NO_ERROR, and the connection serves the next request', async () => {
    const refused: unknown[] = []
    const server = createHttp2Server((request, response) => {
      if (request.method === 'GET') {
        response.end('next')
        return
      }
      receiveUpload(request, { maxFileSize: 500 * MIB }).catch((error: unknown) => {
        refused.push(error)
        response.writeHead(400).end('refused')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connectHttp2(serverUrl(server))
    cleanups.push(async () => {
      session.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
    const upload = session.request({
      ':method': 'POST',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 200 * MIB,
    })
    upload.on('error', () => {})
    upload.write(WRONG_FIELD)
    let sent = 0
    const send = (): void => {
      while (!upload.destroyed && sent < 190 * MIB && upload.write(Buffer.alloc(MIB))) sent += MIB
    }
    upload.on('drain', send)
    send()
    const body: Buffer[] = []
    upload.on('data', (chunk: Buffer) => body.push(chunk))
    await once(upload, 'close')
    expect(Buffer.concat(body).toString()).toBe('refused')
    expect(upload.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    expect(sent).toBeLessThan(190 * MIB)
    expect(refused).toHaveLength(1)
    const next = session.request({ ':method': 'GET' })
    next.setEncoding('utf8')
    const chunks: string[] = []
    next.on('data', (chunk: string) => chunks.push(chunk))
    await once(next, 'end')
    expect(chunks.join('')).toBe('next')
  })
})
