import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The connection of a request that opens a WebSocket, and what the client sent behind the request. */
export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

/** Bytes behind the opening of a WebSocket that may wait. Beyond them, the connection is not read until it is taken. */
const MAX_EARLY_BYTES = 64 * 1024

const upgrades = new WeakMap<IncomingMessage, () => Upgrade>()

/** Whether a request asks for a WebSocket. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Takes the connection of a request that opens a WebSocket. Read it in the same turn of the event loop: nobody else does
 * from now on. `undefined` for every other request.
 */
export function takeUpgrade(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request)?.()
}

/**
 * Reads a connection until it is taken. A request may wait for its place, and a client that disconnects in the meantime
 * must be noticed. Returns what takes it.
 */
function watch(socket: Socket, head: Buffer): () => Upgrade {
  const early = [head]
  let bytes = head.length
  const onData = (data: Buffer): void => {
    early.push(data)
    bytes += data.length
    if (bytes > MAX_EARLY_BYTES) socket.pause()
  }
  const onEnd = (): void => void socket.destroy()
  socket.on('data', onData)
  socket.on('end', onEnd)
  return () => {
    socket.off('data', onData)
    socket.off('end', onEnd)
    if (socket.isPaused()) socket.resume()
    return { socket, head: Buffer.concat(early) }
  }
}

/**
 * Hands the openings of WebSockets to a handler as requests with a response, so that keys, limits and errors are those of
 * every request. The response stays that of the connection: it closes with it, also before the connection is taken. Other
 * upgrades are ignored.
 */
export function receiveUpgrades(server: Server, respond: RequestListener): void {
  server.on('upgrade', (request, socket, head) => {
    // A client that resets its connection must not end the process.
    socket.on('error', () => socket.destroy())
    if (!(socket instanceof Socket)) {
      socket.destroy()
      return
    }
    if (!isWebSocket(request)) {
      serveWithoutUpgrade(server, request, { socket, head })
      return
    }
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    // Node closes the connections of other responses itself.
    response.on('finish', () => socket.end())
    upgrades.set(request, watch(socket, head))
    respond(request, response)
  })
}

/** Headers that ask for another protocol on this connection. */
const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * Serves a request that offers another protocol as one that offers none. Node 22 has taken its connection out of HTTP and
 * read no body, so the server gets both again. The connection closes with the response.
 */
function serveWithoutUpgrade(
  server: Server,
  { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
  { socket, head }: Upgrade & { readonly socket: Socket },
): void {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (const [index, value] of rawHeaders.entries()) {
    const name = rawHeaders[index - 1] ?? ''
    if (index % 2 === 1 && !UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  lines.push('connection: close', '', '')
  socket.unshift(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), head]))
  server.emit('connection', socket)
}
