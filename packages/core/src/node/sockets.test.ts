import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../test/support/clients.ts'
import { giveBackWritten, lend } from './sockets.ts'

/** Far more than the buffers of a connection on loopback hold. */
const LARGE = 64 * 1024 * 1024

async function port(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A connection to somebody who reads nothing until told to. */
async function pair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer({ pauseOnConnect: true })
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const near = connect(await port(server), '127.0.0.1').on('error', () => {})
  giveBackWritten(near)
  const [far] = await accepted
  far.on('error', () => {})
  onTestFinished(() => {
    near.destroy()
    far.destroy()
  })
  return { near, far }
}

/** A chunk that counts how often it was given back. */
function lent(bytes: Uint8Array): { chunk: Uint8Array; returned: () => number } {
  let count = 0
  lend(bytes, () => (count += 1))
  return { chunk: bytes, returned: () => count }
}

/** The hash of what arrives, read so slowly now and then that the connection's buffers run full. */
async function hashSlowly(socket: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  let pieces = 0
  for await (const piece of socket) {
    hash.update(piece)
    pieces += 1
    if (pieces % 8 === 0) await new Promise((wake) => setTimeout(wake, 2))
  }
  return hash.digest('hex')
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

describe('a lent chunk', () => {
  test('comes back once, when it is written', async () => {
    const { near, far } = await pair()
    const { chunk, returned } = lent(Buffer.from('speech'))
    expect(near.write(chunk)).toBe(true)
    near.write(chunk)
    far.resume()
    const [received] = (await once(far, 'data')) as [Buffer]
    expect(String(received)).toMatch(/^speech/)
    await settle()
    expect(returned()).toBe(1)
  })

  test('stays away as long as its bytes wait for the other side, however long that is', async () => {
    const { near, far } = await pair()
    const { chunk, returned } = lent(Buffer.alloc(LARGE))
    expect(near.write(chunk)).toBe(false)
    await settle()
    expect(returned()).toBe(0)
    far.resume()
    await until(() => returned() === 1)
  })

  test('stays away while it waits behind another', async () => {
    const { near, far } = await pair()
    const first = lent(Buffer.alloc(LARGE))
    near.write(first.chunk)
    const { chunk, returned } = lent(Buffer.from('short'))
    near.write(chunk)
    await settle()
    expect(returned()).toBe(0)
    far.resume()
    await until(() => returned() === 1)
    expect(first.returned()).toBe(1)
  })

  test('never comes back when the connection fails before it is written', async () => {
    const { near, far } = await pair()
    const { chunk, returned } = lent(Buffer.alloc(LARGE))
    near.write(chunk)
    await settle()
    far.resetAndDestroy()
    await until(() => near.closed)
    await settle()
    expect(returned()).toBe(0)
  })

  test('never comes back from a copy, a part of it, or a socket that does not know of lending', async () => {
    const { near } = await pair()
    const { chunk, returned } = lent(Buffer.from('speech'))
    near.write(Buffer.from(chunk))
    near.write(chunk.subarray(0, 3))
    const other = connect(near.remotePort ?? 0, '127.0.0.1').on('error', () => {})
    await new Promise((resolve) => other.write(chunk, resolve))
    other.destroy()
    await settle()
    expect(returned()).toBe(0)
  })
})

test('other writes stay unchanged: strings, encodings, callbacks', async () => {
  const { near, far } = await pair()
  const { chunk, returned } = lent(Buffer.from('ab'))
  const done = new Promise((resolve) => near.write(chunk, resolve))
  near.write('c')
  near.write('ZGU=', 'base64')
  near.write(Buffer.from('f'))
  near.end('g')
  await done
  far.resume()
  let text = ''
  for await (const piece of far) text += String(piece)
  expect(text).toBe('abcdefg')
  expect(returned()).toBe(0)
})

test('memory that is used again at once when it comes back arrives as it was, over TLS too', async () => {
  const identity = { psk: Buffer.from('a key of this test'), identity: 'test' }
  const options = { ciphers: 'PSK', maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const
  const server = createTlsServer({ ...options, pskCallback: () => identity.psk, pskIdentityHint: 'test' })
  const arrived = new Promise<string>((resolve) => {
    server.once('secureConnection', (socket) => void hashSlowly(socket).then(resolve))
  })
  const socket = connectTls({
    ...options,
    port: await port(server),
    pskCallback: () => identity,
    checkServerIdentity: () => undefined,
  })
  giveBackWritten(socket)
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(100_003)
  for (let round = 0; round < 100; round += 1) {
    buffer.fill(round)
    const chunk = buffer.subarray(round)
    hash.update(chunk)
    const { promise, resolve } = Promise.withResolvers<void>()
    lend(chunk, resolve)
    socket.write(chunk)
    await promise
    // A caller that still needs these bytes would send this.
    buffer.fill(255)
  }
  socket.end()
  expect(await arrived).toBe(hash.digest('hex'))
})
