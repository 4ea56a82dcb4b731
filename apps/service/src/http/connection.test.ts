import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type KeptConnection, keepConnection } from '../../test/support/connections.ts'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import {
  acceptRequest,
  discardRest,
  LONGEST_DISCARD_MS,
  LONGEST_STRANGER_MS,
  MOST_OF_STRANGER_BYTES,
} from './connection.ts'

/** More than a connection buffers before a read. */
const LONG = 'x'.repeat(1_000_000)
/** What a connection may read before it notices that it is to pause. */
const READ_AHEAD = 256 * 1024
const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const post = (length: number): string => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`

/** Answers without reading the body. */
const atOnce: RequestListener = (_request, response) => response.end()
/** Answers at the body's first bytes, and leaves the body to a parser that reads no more. */
const inItsMidst: RequestListener = (request, response) => {
  if (request.method === 'GET') response.end()
  else request.once('data', () => response.writeHead(400).end()).pipe(new PassThrough())
}
/** Answers after reading the whole body. */
const afterIt: RequestListener = (request, response) => request.resume().on('end', () => response.end())

/** Whether the requests have a valid key. */
let accepted: boolean
let clock: ManualClock
let respond: RequestListener
let server: Server
let client: KeptConnection
beforeEach(async () => {
  accepted = true
  clock = new ManualClock()
  server = createServer((request, response) => {
    if (accepted) acceptRequest(request)
    discardRest(request, response, clock)
    respond(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = keepConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterEach(() => {
  client.socket.destroy()
  server.close()
})

describe.each([
  ['left alone', atOnce, 200],
  ['abandoned in the middle', inItsMidst, 400],
])('a body that was %s', (_how, listener, status) => {
  beforeEach(() => void (respond = listener))

  test('is dropped, and the next request on its connection is answered', async () => {
    client.send(post(LONG.length) + LONG)
    expect(await client.next()).toBe(status)
    client.send(GET)
    expect(await client.next()).toBe(200)
    await expect.poll(() => clock.timers).toBe(0)
  })

  test('is dropped too when it arrives after the response', async () => {
    client.send(`${post(LONG.length + 1)}y`)
    expect(await client.next()).toBe(status)
    client.send(LONG + GET)
    expect(await client.next()).toBe(200)
    await expect.poll(() => clock.timers).toBe(0)
  })

  test('without an end is cut off after the deadline, not before', async () => {
    client.send(`${post(2 * LONG.length)}y`)
    expect(await client.next()).toBe(status)
    client.send(LONG)
    await expect.poll(() => clock.timers).toBe(1)
    await clock.pass(LONGEST_DISCARD_MS - 1)
    expect(await connections()).toBe(1)
    await clock.pass(1)
    expect(await client.next()).toBeUndefined()
  })

  test('is not awaited when the client disconnects', async () => {
    client.send(`${post(2 * LONG.length)}y`)
    expect(await client.next()).toBe(status)
    await expect.poll(() => clock.timers).toBe(1)
    client.socket.destroy()
    await expect.poll(() => clock.timers).toBe(0)
  })
})

describe.each([
  ['left alone', atOnce, 200],
  ['abandoned in the middle', inItsMidst, 400],
])('the body of a request without a valid key that was %s', (_how, listener, status) => {
  beforeEach(() => {
    accepted = false
    respond = listener
  })

  test('is dropped, and the next request is answered, if it is short', async () => {
    client.send(`${post(MOST_OF_STRANGER_BYTES)}y`)
    expect(await client.next()).toBe(status)
    client.send('x'.repeat(MOST_OF_STRANGER_BYTES - 1) + GET)
    expect(await client.next()).toBe(status === 400 ? 200 : status)
    await expect.poll(() => clock.timers).toBe(0)
  })

  test('without an end is cut off after seconds, not before', async () => {
    client.send(`${post(MOST_OF_STRANGER_BYTES)}y`)
    expect(await client.next()).toBe(status)
    await expect.poll(() => clock.timers).toBe(1)
    await clock.pass(LONGEST_STRANGER_MS - 1)
    expect(await connections()).toBe(1)
    await clock.pass(1)
    expect(await client.next()).toBeUndefined()
  })

  test.each([
    ['with a length', post(LONG.length), LONG],
    ['in chunks', post(0).replace('content-length: 0', 'transfer-encoding: chunked'), `1000000\r\n${LONG}`],
  ])('has a response that closes the connection, if it may be long: %s', async (_form, head, body) => {
    client.socket.destroy()
    await expect.poll(connections).toBe(0)
    const socket = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true })
    socket.write(head + body.slice(0, 20))
    let received = ''
    socket.setEncoding('latin1').on('data', (data) => (received += String(data)))
    await once(socket, 'end')
    expect(received).toMatch(/^connection: close\r$/im)
    // An early close would reset a client that still sends, and the reset overtakes the response.
    socket.on('error', () => undefined).write(body.slice(20))
    await clock.pass(LONGEST_STRANGER_MS - 1)
    expect(await connections()).toBe(1)
    await clock.pass(1)
    expect(await connections()).toBe(0)
    socket.destroy()
  })

  test('is read no further than its first part', async () => {
    const connected = once(server, 'connection')
    const long = LONG.repeat(20)
    client.send(`${post(long.length)}y`)
    expect(await client.next()).toBe(status)
    const [socket] = (await connected) as [Socket]
    client.send(long)
    await expect.poll(() => socket.isPaused()).toBe(true)
    const { bytesRead } = socket
    expect(bytesRead).toBeLessThan(MOST_OF_STRANGER_BYTES + READ_AHEAD)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(socket.bytesRead).toBe(bytesRead)
  })
})

test.each([
  ['no body', atOnce, GET],
  ['a body that was read', afterIt, post(LONG.length) + LONG],
])('%s is not awaited', async (_what, listener, request) => {
  let waited = 0
  clock.setTimer = () => {
    waited += 1
    return () => undefined
  }
  respond = listener
  for (let turn = 0; turn < 3; turn += 1) {
    client.send(request)
    expect(await client.next()).toBe(200)
  }
  expect(waited).toBe(0)
})

test('dropped bodies leave no listener on their connection', async () => {
  respond = inItsMidst
  const connected = once(server, 'connection')
  client.send(GET)
  expect(await client.next()).toBe(200)
  const [socket] = (await connected) as [Socket]
  const before = socket.listenerCount('close')
  for (let turn = 0; turn < 3; turn += 1) {
    client.send(`${post(LONG.length + 1)}y`)
    expect(await client.next()).toBe(400)
    client.send(LONG)
  }
  await expect.poll(() => socket.listenerCount('close')).toBe(before)
})

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}
