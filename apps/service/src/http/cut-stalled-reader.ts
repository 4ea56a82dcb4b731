import type { ServerResponse } from 'node:http'

/**
 * Cuts the connection of a client that takes nothing of its answer: bytes wait to be sent, and none was taken for
 * `stallTimeout` to twice that time. A client that waits for a slow answer, or sends its request slowly, is not cut.
 *
 * @param stallTimeout Milliseconds.
 */
export function cutStalledReader(response: ServerResponse, stallTimeout: number): void {
  // The socket's own timer starts again with every byte that is read or written.
  response.setTimeout(stallTimeout, () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) socket.destroy()
  })
}
