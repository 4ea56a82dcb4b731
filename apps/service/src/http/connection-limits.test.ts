import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acceptRequest } from './connection.ts'
import { sendRefusal } from './errors.ts'
import { type ConnectionLimitOptions, ConnectionLimits } from './connection-limits.ts'

/** Accepts a request of every path except `/refused`. Answers `/slow` only when the test says so. */
let slowEnds: (() => void)[]
const respond: RequestListener = (request, response) => {
  if (request.url !== '/refused') acceptRequest(request)
  if (request.url === '/slow') slowEnds.push(() => response.end())
  else response.end()
}

let server: Server
let limits: ConnectionLimits
let sockets: Socket[]
beforeEach(() => {
  slowEnds = []
  sockets = []
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  server.close()
})

async function serve(options: ConnectionLimitOptions): Promise<void> {
  limits = new ConnectionLimits(options)
  server = createServer((request, response) => {
    const refusal = limits.refusalOf(request.socket)
    if (refusal === undefined) respond(request, response)
    else sendRefusal(response.setHeader('connection', 'close'), refusal)
  })
  limits.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** A connection from an address of this machine. */
async function from(address = '127.0.0.1'): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const counted = once(server, 'connection')
  const socket = connect({ port, host: '127.0.0.1', localAddress: address })
  socket.on('error', () => undefined)
  sockets.push(socket)
  await Promise.all([once(socket, 'connect'), counted])
  return socket
}

async function ask(socket: Socket, path = '/'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  const [data] = (await once(socket, 'data')) as [Buffer]
  return String(data)
}

/** A connection with a request in flight. */
async function working(address?: string): Promise<Socket> {
  const socket = await from(address)
  const before = slowEnds.length
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => slowEnds.length).toBe(before + 1)
  return socket
}

async function isClosed(socket: Socket): Promise<boolean> {
  if (!socket.closed) await once(socket.resume(), 'close')
  return true
}

describe('a connection over the limit of its address', () => {
  test('takes the place of the oldest one that no valid key has used', async () => {
    await serve({ connectionsPerAddress: 3 })
    const idle = await from()
    expect(await ask(idle)).toMatch(/^HTTP\/1.1 200 /)
    const silent = await from()
    const refused = await from()
    expect(await ask(refused, '/refused')).toMatch(/^HTTP\/1.1 200 /)
    const newest = await from()
    expect(await isClosed(silent)).toBe(true)
    const next = await from()
    expect(await isClosed(refused)).toBe(true)
    expect(await ask(idle)).toMatch(/^HTTP\/1.1 200 /)
    expect(limits).toMatchObject({ open: 3, closed: 2 })
    for (const socket of [newest, next]) expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('takes the place of one that waits for its next request, if all have used a valid key', async () => {
    await serve({ connectionsPerAddress: 2 })
    const busy = await working()
    const idle = await from()
    await ask(idle)
    expect(await ask(await from())).toMatch(/^HTTP\/1.1 200 /)
    expect(await isClosed(idle)).toBe(true)
    expect(busy.closed).toBe(false)
  })

  test('gets 429 and is closed, if all have a request in flight', async () => {
    await serve({ connectionsPerAddress: 2 })
    const busy = [await working(), await working()]
    const refused = await from()
    const text = await ask(refused)
    expect(text).toMatch(/^HTTP\/1.1 429 .*^retry-after: 1\r$.*"code":"too_many_connections"/ms)
    expect(await isClosed(refused)).toBe(true)
    for (const end of slowEnds) end()
    for (const socket of busy) expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
    expect(await ask(await from())).toMatch(/^HTTP\/1.1 200 /)
  })

  test('is closed without a response, if many wait for their refusal', async () => {
    await serve({ connectionsPerAddress: 1 })
    await working()
    const waiting: Socket[] = []
    for (let index = 0; index < 40; index += 1) waiting.push(await from())
    await expect.poll(() => waiting.map((socket) => socket.resume().closed).indexOf(false)).toBe(8)
    expect(limits.open).toBe(33)
  })

  test('does not touch the connections of another address', async () => {
    await serve({ connectionsPerAddress: 1 })
    const other = await from('127.0.0.2')
    const first = await from('127.0.0.3')
    await from('127.0.0.3')
    expect(await isClosed(first)).toBe(true)
    expect(await ask(other)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('stays, if the address is a trusted proxy', async () => {
    await serve({ connectionsPerAddress: 1, trustProxy: ['127.0.0.0/30'] })
    const both = [await from(), await from()]
    for (const socket of both) expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 /)
  })
})

test('a connection over the limit of all takes the place of one that works for nobody, else its request gets 503', async () => {
  await serve({ connections: 2, connectionsPerAddress: Infinity })
  const silent = await from('127.0.0.2')
  await working('127.0.0.3')
  await working('127.0.0.4')
  expect(await isClosed(silent)).toBe(true)
  expect(await ask(await from())).toMatch(/^HTTP\/1.1 503 .*"code":"overloaded"/ms)
})

test('closed connections count no more', async () => {
  await serve({ connectionsPerAddress: 2 })
  for (let turn = 0; turn < 5; turn += 1) {
    const socket = await from()
    expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 /)
    socket.destroy()
    await expect.poll(() => limits.open).toBe(0)
  }
  expect(limits.closed).toBe(0)
})

test.each([
  [{ connections: 0 }, /`connections` must be a positive integer or Infinity, got 0/],
  [{ connectionsPerAddress: Number.NaN }, /`connectionsPerAddress` must be a positive integer or Infinity, got NaN/],
  [{ trustProxy: ['nowhere'] }, /trustProxy has "nowhere"/],
])('%j is refused', (options, message) => {
  expect(() => new ConnectionLimits(options)).toThrow(message)
})
