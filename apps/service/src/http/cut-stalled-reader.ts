import type { ServerResponse } from 'node:http'

/**
 * Disconnects a client that stops reading its answer: bytes wait to be sent, and the client has read none for
 * `stallTimeout` to twice that time. A client that waits for a slow answer, or sends its request slowly, stays
 * connected.
 *
 * @param stallTimeout Milliseconds.
 */
export function cutStalledReader(response: ServerResponse, stallTimeout: number): void {
  // The socket's own timer restarts with every byte read or written.
  response.setTimeout(stallTimeout, () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) socket.destroy()
  })
}
