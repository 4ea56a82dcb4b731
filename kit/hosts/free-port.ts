import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Returns a free TCP port, for programs that cannot select one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The system returned no port')
  return address.port
}

/**
 * Resolves when a program accepts connections on a port of this machine.
 * @throws Error after two minutes without a connection
 */
export async function untilListening(port: number): Promise<void> {
  const end = performance.now() + 120_000
  while (performance.now() < end) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await delay(50)
    } finally {
      socket.destroy()
    }
  }
  throw new Error(`Nothing listens on port ${port}`)
}
