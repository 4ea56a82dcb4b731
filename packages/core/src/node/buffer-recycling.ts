import type { Socket } from 'node:net'

/** Callbacks of lent chunks. The map is weak, so a chunk that never reaches a socket is collected. */
const lenders = new WeakMap<Uint8Array, () => void>()

/**
 * Lends a chunk whose memory can be reused after it is sent. Fresh memory for every chunk is half the cost of a large
 * upload. `giveBack` runs only when a socket of {@link giveBackWritten} has written this chunk. Otherwise (another
 * transport, HTTP/2, a copy, a failed write) it never runs, and the memory is not reused.
 */
export function lend(chunk: Uint8Array, giveBack: () => void): void {
  lenders.set(chunk, giveBack)
}

/**
 * Makes a socket return lent chunks. A request for the next chunk proves nothing: a write that has returned may still
 * be queued in the stream or in libuv. The callback of a write proves it: Node calls it without an error only when the
 * system, or the TLS cipher, has taken all bytes.
 */
export function giveBackWritten(socket: Socket): void {
  const write = socket.write.bind(socket)
  socket.write = (...parameters: readonly unknown[]): boolean => {
    const [chunk] = parameters
    // A write with more arguments has its own callback.
    if (!(chunk instanceof Uint8Array) || parameters.length > 1) return Reflect.apply(write, undefined, parameters)
    const giveBack = lenders.get(chunk)
    if (giveBack === undefined) return write(chunk)
    // Run it once, even if the chunk is written several times.
    lenders.delete(chunk)
    return write(chunk, (error) => {
      if (error === undefined || error === null) giveBack()
    })
  }
}
