/** The part of a gateway's client that this file uses: of socket.io, or of the `ws` package. */
interface SocketLike {
  readonly readyState?: unknown
  emit?(event: string, data: object): unknown
  send?(text: string): unknown
}

/**
 * Sends an `exception` event, as Nest's own WebSocket filter does. `emit` of the `ws` package reaches only its own
 * listeners, so that client gets a message in the form of Nest's `WsAdapter`.
 */
export function sendException(client: SocketLike, data: object): void {
  if (typeof client.readyState === 'number') client.send?.(JSON.stringify({ event: 'exception', data }))
  else client.emit?.('exception', data)
}
