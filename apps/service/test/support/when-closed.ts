import type { Socket } from 'node:net'

/** Waits until a connection is closed, also by a reset. `once` of `node:events` rejects at a reset. */
export function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve())
  })
}
