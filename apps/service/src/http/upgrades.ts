import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The connection of a request that opens a WebSocket, and what the client sent behind the request. */
export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Whether a request asks for a WebSocket. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Returns the connection of a request that opens a WebSocket. `undefined` for every other request. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request)
}

/**
 * Hands the openings of WebSockets to a handler as requests with a response, so that keys, limits and errors are those of
 * every request. The response stays that of the connection: it closes with it.
 */
export function receiveUpgrades(server: Server, respond: RequestListener): void {
  server.on('upgrade', (request, socket, head) => {
    // A client that resets its connection must not end the process.
    socket.on('error', () => socket.destroy())
    if (!(socket instanceof Socket)) {
      socket.destroy()
      return
    }
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    // Node closes the connections of other responses itself.
    response.on('finish', () => socket.end())
    if (isWebSocket(request)) upgrades.set(request, { socket, head })
    respond(request, response)
  })
}
