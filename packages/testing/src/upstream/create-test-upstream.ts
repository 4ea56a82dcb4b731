import { once } from 'node:events'
import { createServer } from 'node:http'
import { serverUrl } from '../processes.ts'
import { fullOptions, type TestUpstream, type TestUpstreamOptions } from './test-upstream.ts'
import { Upstream } from './upstream.ts'

/**
 * Starts a scripted upstream on a free port of 127.0.0.1. Without a script, every endpoint of the interface gives its
 * happy response.
 * @throws TypeError naming an unknown option
 * @throws RangeError naming an option with a wrong value
 */
export async function createTestUpstream(options: TestUpstreamOptions = {}): Promise<TestUpstream> {
  const full = fullOptions('createTestUpstream()', options)
  const server = createServer()
  // The server has no timeouts: tests decide when a request ends.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  const upstream = new Upstream({ url: serverUrl(server), close }, full)
  server.on('request', (message, response) => upstream.receive(message, response))
  server.on('connection', (socket) => upstream.countConnection(socket))
  return upstream
}
