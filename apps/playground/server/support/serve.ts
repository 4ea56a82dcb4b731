import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** A server on a free port of this machine. */
export interface Listening {
  readonly url: string
  close(): Promise<void>
}

/** A free port of this machine, for servers that need their own address before they listen. */
export async function freePort(): Promise<number> {
  const server = await serve(() => {})
  await server.close()
  return Number(new URL(server.url).port)
}

/** Serves an app on a free port of this machine. */
export async function serve(app: RequestListener): Promise<Listening> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The app is not listening on a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
