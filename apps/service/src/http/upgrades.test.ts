import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConnectionLimits } from './connection-limits.ts'
import { receiveUpgrades, upgradeOf } from './upgrades.ts'

// Without `shouldUpgradeCallback`, each Node emits every upgrade, as Node 22 always does.
let server: Server
let limits: ConnectionLimits
beforeEach(async () => {
  server = createServer((request, response) => {
    if (limits.refusalOf(request.socket) !== undefined) {
      response.end('refused')
      return
    }
    void text(request).then((body) =>
      response.end(`${request.method} ${request.url} ${request.headers['x-name']} ${body}`),
    )
  })
  limits = new ConnectionLimits({ connectionsPerAddress: 1 })
  limits.watch(server)
  receiveUpgrades(server, (request, response) => response.end(upgradeOf(request) === undefined ? 'none' : 'upgrade'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends parts of a request, and returns the response at the end of the connection. */
async function exchange(...parts: readonly string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  for (const part of parts) {
    socket.write(part)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return text(socket)
}

/** A request of Java's client, which offers HTTP/2. */
const H2C = [
  'POST /speech?a=1 HTTP/1.1',
  'Host: a',
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAA',
  'X-Name: Ann',
  'Content-Length: 200003',
  '',
  '',
].join('\r\n')

test('a request that offers another protocol is served with its body, and its connection counts once', async () => {
  const response = await exchange(`${H2C}begin`, 'x'.repeat(199_998))
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(response).toMatch(/POST \/speech\?a=1 Ann beginx+/)
  await expect.poll(() => limits.open).toBe(0)
  expect(await exchange(`${H2C}begin`, 'y'.repeat(199_998))).toContain('Ann beginy')
})

test('the opening of a WebSocket is a request with a response', async () => {
  expect(await exchange('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')).toContain(
    'upgrade',
  )
})
