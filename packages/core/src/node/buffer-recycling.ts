import type { Socket } from 'node:net'

/** What to do with a chunk once it is written. Weak: a chunk that never reaches a socket is forgotten with it. */
const lenders = new WeakMap<Uint8Array, () => void>()

/**
 * Lends a chunk whose memory can be used again once it is sent, since fresh memory for every chunk is half the cost of a
 * large upload. `giveBack` runs only when a socket of {@link giveBackWritten} has said of this very chunk that it is
 * written. On every other way (another transport, HTTP/2, a copy, a failed write) it never runs, and the memory is
 * simply not used again.
 */
export function lend(chunk: Uint8Array, giveBack: () => void): void {
  lenders.set(chunk, giveBack)
}

/**
 * Makes a socket give lent chunks back. Asking for the next chunk proves nothing: a write that returns may still wait in
 * the stream or in libuv. The callback of a write does: Node calls it without an error only when the system, or the
 * cipher of TLS, has taken all its bytes.
 */
export function giveBackWritten(socket: Socket): void {
  const write = socket.write.bind(socket)
  socket.write = (...parameters: readonly unknown[]): boolean => {
    const [chunk] = parameters
    // A write with more than the chunk has a callback of its own.
    if (!(chunk instanceof Uint8Array) || parameters.length > 1) return Reflect.apply(write, undefined, parameters)
    const giveBack = lenders.get(chunk)
    if (giveBack === undefined) return write(chunk)
    // Once, however often it is written.
    lenders.delete(chunk)
    return write(chunk, (error) => {
      if (error === undefined || error === null) giveBack()
    })
  }
}
