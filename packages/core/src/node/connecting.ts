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
