const MARKER = Symbol.for('svc-audio.client-disconnected-error')

/**
 * The client closed its connection before the response was complete. No response can be sent: `status` 499 is for logs, as
 * in nginx.
 */
export class ClientDisconnectedError extends Error {
  /** The class name: programs compare it. `isInstance` also knows errors of a second copy of the package. */
  override readonly name = 'ClientDisconnectedError' as const
  /** The reason, for programs. */
  readonly code = 'client_disconnected' as const
  /** Status for logs. Nobody receives it. */
  readonly status = 499 as const
  /** No caller sees the message. */
  readonly expose = false as const

  constructor() {
    super('The client closed the connection')
    Object.defineProperty(this, MARKER, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is ClientDisconnectedError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}
