import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { serverUrl } from './processes.ts'

test('the address of a listening server has its host and its port, and any protocol', async () => {
  const server = createServer((_request, response) => response.end('here')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  expect(await (await fetch(serverUrl(server))).text()).toBe('here')
  expect(serverUrl(server, 'ws')).toBe(serverUrl(server).replace('http', 'ws'))
  server.closeAllConnections()
  server.close()
})

test.each([
  ['::1', 'IPv6', 'http://[::1]:8080'],
  ['::', 'IPv6', 'http://127.0.0.1:8080'],
  ['0.0.0.0', 'IPv4', 'http://127.0.0.1:8080'],
  ['192.0.2.7', 'IPv4', 'http://192.0.2.7:8080'],
])('a server on %s, %s, is reached at %s', (address, family, url) => {
  expect(serverUrl({ address: () => ({ address, family, port: 8080 }) })).toBe(url)
})

test('a server that does not listen on a port is an error with the remedy', () => {
  expect(() => serverUrl(createServer())).toThrow('call `listen(0)` and wait for its event `listening`')
  expect(() => serverUrl({ address: () => '/run/app.sock' })).toThrow('does not listen on a port')
})
