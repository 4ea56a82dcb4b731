import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** The connection that a request waits for. */
export interface Attempt {
  /** While it does not stand yet. */
  socket?: Socket | undefined
}

/**
 * Tells which connection is made for which request, which undici does not: an abort would leave the socket of a host that
 * does not answer until the connection's deadline.
 *
 * undici asks for a connection in the call that sends the request, or, for a body that is iterated, in a microtask that
 * it queues there. Ours is queued right behind it, so that the first in line is the one whose turn it is.
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

  /** Whether a connection fails at this very moment. */
  get resetting(): boolean {
    return this.#resetting
  }

  /**
   * undici takes a reset for the end of a body that has no length. Our listener is called before undici's, so that
   * the handler of the end can ask for its cause.
   */
  watch(socket: Socket): void {
    socket.on('error', () => {
      this.#resetting = true
      queueMicrotask(() => (this.#resetting = false))
    })
  }

  /** A connector that notes for whom it connects. */
  connector(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) => {
      const attempt = this.#current ?? this.#line[0]
      const end: buildConnector.Callback = (...outcome) => {
        if (attempt !== undefined) attempt.socket = undefined
        callback(...outcome)
      }
      // undici's own connector gives the socket, which its types leave out.
      const socket: unknown = Reflect.apply(connect, undefined, [target, end])
      if (attempt !== undefined && isSocket(socket)) attempt.socket = socket
    }
  }
}

/** Nobody waits for the connection any more. */
export function abandon({ socket }: Attempt): void {
  // With an error, since undici would wait on for a socket that merely closes.
  socket?.destroy(new Error('The request was aborted before it was connected'))
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroy' in value && 'connecting' in value
}
