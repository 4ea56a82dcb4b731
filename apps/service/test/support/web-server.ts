import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'

/** A web server on this machine. */
export interface WebServer {
  /** Its address, without a path. */
  readonly url: string
  readonly port: number
  /** Received requests. */
  readonly requests: readonly IncomingMessage[]
  close(): void
}

/** Starts a web server. */
export async function startWebServer(respond: RequestListener): Promise<WebServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.on('error', () => undefined)
    respond(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
