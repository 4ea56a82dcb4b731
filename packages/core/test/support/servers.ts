import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A loopback server. It closes with its test. */
export interface TestServer {
  readonly url: string
  /** Received requests. */
  readonly requests: IncomingMessage[]
  /** All connections so far. */
  readonly sockets: Socket[]
}

/** A real HTTP server. */
export async function startServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<TestServer> {
  const requests: IncomingMessage[] = []
  const sockets: Socket[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(request)
    // Many tests disconnect.
    request.on('error', () => {})
    void handle(request, response)
  }
  const server = createServer(listener)
  server.on('connection', (socket) => {
    sockets.push(socket)
  })
  const url = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, requests, sockets }
}

/** A TCP server, for responses that no HTTP library sends. `handle` gets the first bytes of each connection. */
export async function startRawServer(handle: (socket: Socket, first: string) => void): Promise<TestServer> {
  const sockets: Socket[] = []
  const server = createNetServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', (bytes) => handle(socket, bytes.toString('latin1')))
  })
  const url = await listen(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url, requests: [], sockets }
}

/** A loopback address without a listener. */
export async function closedPort(): Promise<string> {
  const server = createNetServer()
  const url = await listen(server)
  server.close()
  await once(server, 'close')
  return url
}

async function listen(server: Server | NetServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Reads the whole body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Answers with JSON after reading the request. */
export async function respondJson(
  request: IncomingMessage,
  response: ServerResponse,
  value: unknown,
  status = 200,
): Promise<void> {
  await readBody(request)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Resolves when the client closes the connection of an unfinished response. */
export async function closedByClient(response: ServerResponse): Promise<'left'> {
  if (!response.closed) await once(response, 'close')
  if (response.writableFinished) throw new Error('The response had ended')
  return 'left'
}
