import type { ServerResponse } from 'node:http'

/**
 * Disconnects a client that stops reading its response: bytes wait to be sent, and the client has read none for the
 * `timeout` of the server to twice that time. A client that waits for a slow response, or sends its request slowly,
 * stays connected.
 */
export function cutStalledReader(response: ServerResponse): void {
  // The server sets the timer of the socket for each request, and it restarts with every byte read or written. A timer
  // of each response would take a tenth of a small response's time.
  response.on('timeout', cutIfStalled)
}

/** Without this listener, Node would disconnect a client that waits. */
function cutIfStalled(this: ServerResponse): void {
  if (this.socket !== null && this.socket.writableLength > 0) this.socket.destroy()
}
