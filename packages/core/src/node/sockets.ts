import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** The connection of a request. */
export interface Attempt {
  /** Set until the connection is established. */
  socket?: Socket | undefined
}

/**
 * Maps connections to requests, which undici does not expose. Otherwise, if the host does not answer, an aborted
 * request keeps its socket until the connect deadline.
 *
 * undici connects in the call that sends the request. For an iterated body it connects in a microtask that it queues
 * there. Our microtask is queued right after that one, so the first request in line owns the connection.
 */
export class Connecting {
  #current: Attempt | undefined
  #resetting = false
  readonly #line: Attempt[] = []

  /** Sends a request. */
  send<Result>(attempt: Attempt, request: () => Result): Result {
    this.#current = attempt
    this.#line.push(attempt)
    try {
      return request()
    } finally {
      this.#current = undefined
      queueMicrotask(() => this.#line.shift())
    }
  }

  /** Whether a connection is failing at this moment. */
  get resetting(): boolean {
    return this.#resetting
  }

  /**
   * undici treats a reset as the end of a body without a length. Our listener runs before that of undici, so the end
   * handler can check the cause.
   */
  watch(socket: Socket): void {
    socket.on('error', () => {
      this.#resetting = true
      queueMicrotask(() => (this.#resetting = false))
    })
  }

  /** Wraps a connector to record the request of each connection. */
  connector(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) => {
      const attempt = this.#current ?? this.#line[0]
      const end: buildConnector.Callback = (...outcome) => {
        if (attempt !== undefined) attempt.socket = undefined
        callback(...outcome)
      }
      // undici's connector returns the socket, but its types do not say so.
      const socket: unknown = Reflect.apply(connect, undefined, [target, end])
      if (attempt !== undefined && isSocket(socket)) attempt.socket = socket
    }
  }
}

/** Closes a connection that the request no longer needs. */
export function abandon({ socket }: Attempt): void {
  // undici keeps waiting if the socket closes without an error.
  socket?.destroy(new Error('The request was aborted before it was connected'))
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroy' in value && 'connecting' in value
}

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
