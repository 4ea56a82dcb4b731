import type { Socket } from 'node:net'

/**
 * Keeps the connection of a refused upload open for reading after the response, until the returned function is called.
 *
 * Node closes a connection with `Connection: close` as soon as the response is sent. If the client is still sending, the
 * operating system answers its bytes with a reset, and the reset overtakes the response: nginx then reports 502. Here the
 * response ends with a half-close, and the client reads it while the rest of its body is discarded.
 *
 * @returns Closes the connection if its last response is sent. Call it when the body has ended or reached its limits.
 */
export function lingerAfterResponse(socket: Socket): () => void {
  // Node's server calls `destroySoon` of the connection, and nothing else, when the last response is sent.
  const original = socket.destroySoon.bind(socket)
  let wanted = false
  const halfClose = (): void => {
    wanted = true
    socket.end()
  }
  socket.destroySoon = halfClose
  return () => {
    if (socket.destroySoon !== halfClose) return
    socket.destroySoon = original
    if (wanted) original()
  }
}
