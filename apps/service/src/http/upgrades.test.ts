import { once } from 'node:events'
import { createServer, IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createNetServer, type Server as NetServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConnectionLimits } from './connection-limits.ts'
import { receiveUpgrades, takeUpgrade } from './upgrades.ts'

let server: Server
let limits: ConnectionLimits
beforeEach(async () => {
  // Without `shouldUpgradeCallback`, each Node emits every upgrade, as Node 22 always does.
  server = createServer((request, response) => {
    if (limits.refusalOf(request.socket) !== undefined) {
      response.end('refused')
      return
    }
    void text(request).then((body) => response.end(`${request.method} ${String(request.headers['x-name'])} ${body}`))
  })
  limits = new ConnectionLimits({ connectionsPerAddress: 1 })
  limits.watch(server)
  receiveUpgrades(server, (request, response) => response.end(takeUpgrade(request) === undefined ? 'none' : 'upgrade'))
  await listen(server)
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function listen(on: NetServer): Promise<void> {
  on.listen(0, '127.0.0.1')
  await once(on, 'listening')
}

/** Sends parts of a request, and returns the response at the end of the connection. */
async function exchange(to: NetServer, ...parts: readonly string[]): Promise<string> {
  const socket = connect((to.address() as AddressInfo).port, '127.0.0.1')
  for (const part of parts) {
    socket.write(part)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return text(socket)
}

/** Headers of Java's client, which offers HTTP/2. */
const H2C = ['Connection', 'Upgrade, HTTP2-Settings', 'Upgrade', 'h2c', 'HTTP2-Settings', 'AAA', 'X-Name', 'Ann']

const lines = (...headers: readonly string[]): string =>
  headers.map((part, index) => part + (index % 2 === 0 ? ': ' : '\r\n')).join('')

test('a request that offers another protocol is served, and its connection counts once', async () => {
  for (let call = 0; call < 2; call += 1) {
    const response = await exchange(server, `GET / HTTP/1.1\r\n${lines('Host', 'a', ...H2C)}\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(response).toContain('GET Ann ')
    await expect.poll(() => limits.open).toBe(0)
  }
})

test('such a request has its body, although Node 22 has taken the connection out of HTTP', async () => {
  const node22 = createNetServer((socket) => {
    socket.once('data', (head: Buffer) => {
      const taken = new IncomingMessage(socket)
      const rawHeaders = ['Host', 'a', 'Content-Length', '200005', ...H2C]
      Object.assign(taken, { method: 'POST', url: '/', rawHeaders })
      server.emit('upgrade', taken, socket, head)
    })
  })
  await listen(node22)
  const response = await exchange(node22, 'begin', 'x'.repeat(200_000))
  expect(response).toMatch(/POST Ann beginx{200000}/)
  node22.close()
})

test('the opening of a WebSocket is a request with a response', async () => {
  const headers = lines('Host', 'a', 'Connection', 'Upgrade', 'Upgrade', 'websocket')
  expect(await exchange(server, `GET / HTTP/1.1\r\n${headers}\r\n`)).toContain('upgrade')
})
