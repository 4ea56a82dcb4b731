/** The used part of a client of a WebSocket gateway: socket.io, or the `ws` package. */
interface SocketLike {
  readonly readyState?: unknown
  emit?(event: string, data: object): unknown
  send?(text: string): unknown
}

/**
 * Sends an `exception` event, as Nest's own WebSocket filter does. `emit` of the `ws` package reaches only local listeners,
 * so a `ws` client gets a message in the form of Nest's `WsAdapter`.
 */
export function sendException(client: SocketLike, data: object): void {
  if (typeof client.readyState === 'number') client.send?.(JSON.stringify({ event: 'exception', data }))
  else client.emit?.('exception', data)
}
