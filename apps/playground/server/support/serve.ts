import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'

/** A server on this machine. */
export interface Listening {
  readonly server: Server
  readonly url: string
  close(): Promise<void>
}

/** A free port of this machine, for servers that need their own address before they listen. */
export async function freePort(): Promise<number> {
  const server = await serve(() => {})
  await server.close()
  return Number(new URL(server.url).port)
}

/** Serves an app on this machine. @param port 0 selects a free port. @throws the error of the system, e.g. `EADDRINUSE` */
export async function serve(app: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(app).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The app is not listening on a port')
  return {
    server,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
